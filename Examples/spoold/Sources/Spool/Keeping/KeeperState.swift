internal import Glibc
internal import TaskDispatch

/// What a keeper knows, and what it does next. It is confined to the foreground, so it needs no lock.
///
/// It touches no file and no clock: it is told what has arrived, and when, and says what to do. Each
/// path with a notice is looked at, and only what is found there counts. So notices may come late,
/// twice, or in any order.
struct KeeperState {
  /// The next thing to do.
  enum Step {
    /// Watch a directory.
    case watch(BytePath)
    /// List a directory, or its next entries.
    case list(BytePath)
    case read(BytePath, Pending.Attempt)
    case save(Saving.Job)
    case unwatch([Inotify.Watch])
    /// Everything that was begun is done.
    case end
  }

  enum Phase { case keeping, draining, over }

  var settings: Keeper.Settings
  var catalogue: Catalogue
  var saving: Saving
  var pending: Pending
  var scan = Scan()
  var tree = DirectoryTree()
  /// Paths that a scan has found, and that are to be looked at; the last is the next.
  var found: [BytePath] = []
  /// The paths that are with the workers.
  var reading: [BytePath: Pending.Attempt] = [:]
  var phase = Phase.keeping
  var stop: Stop?
  /// Why each of these paths has no line.
  var problems: [BytePath: Problem] = [:]
  var notices: [Notice] = []
  /// Why directories are not watched; nil if all are.
  var blindness: SystemError?
  /// Whether a directory was found unwatched since the current scan of the whole spool began.
  private var isBlindStill = false
  /// What the process has run out of.
  var shortage: SystemError?
  /// A scan waits until this time for the shortage to pass.
  var scanAt = DispatcherInstant.start
  /// When the keeper goes through all of the spool again without a request.
  var rescanAt: DispatcherInstant?
  var counts = Keeper.Counts()
  /// The manifest's own files, if they stand in the spool.
  let own: Set<BytePath>
  /// Whether the spool can be watched at all.
  let mayWatch: Bool
  /// Where the spool's own name stands, and the names of symbolic links that lead to it.
  let places: Set<Inotify.Place>

  /// How long to wait for what the process has run out of.
  private static let shortageDelay = Duration.seconds(1)
  /// How often the keeper goes through everything if not all is watched, unless settings say.
  private static let blindInterval = Duration.seconds(60)

  init(
    _ settings: Keeper.Settings, _ catalogue: Catalogue, stampCount: Int, own: Set<BytePath>,
    places: Set<Inotify.Place> = [], cannotWatch: SystemError? = nil
  ) {
    self.settings = settings
    self.catalogue = catalogue
    self.own = own
    self.places = places
    saving = Saving(interval: settings.replaceEvery, stampCount: stampCount)
    pending = Pending(settings.patience)
    mayWatch = cannotWatch == nil
    if let cannotWatch { noteBlindness(cannotWatch) }
    scan.addAll()
  }

  // MARK: What next

  /// Decides on the next step, and counts it as made. Nil if something must arrive first.
  mutating func nextStep(at now: DispatcherInstant) -> Step? {
    guard stop == nil, phase != .over else { return nil }
    if let job = nextJob(at: now) { return .save(job) }
    if let (path, attempt) = nextRead(at: now) {
      reading[path] = attempt
      return .read(path, attempt)
    }
    if let rescanAt, rescanAt <= now, phase == .keeping {
      self.rescanAt = nil
      scan.addAll()
    }
    if let step = nextScanStep(at: now) { return step }
    if phase == .draining, isDone {
      phase = .over
      return .end
    }
    return nil
  }

  private mutating func nextJob(at now: DispatcherInstant) -> Saving.Job? {
    // Not at the end: `finish(_:)` writes all changes together, when no worker's result is awaited any
    // more.
    guard phase == .keeping else { return nil }
    return saving.next(&catalogue, at: now)
  }

  private mutating func nextRead(
    at now: DispatcherInstant
  ) -> (path: BytePath, attempt: Pending.Attempt)? {
    while reading.count < settings.limits.files {
      if let path = found.popLast() {
        // A path that was touched is looked at in any case.
        guard !pending.contains(path) else { continue }
        guard reading[path] == nil else {
          pending.note(path, at: now, isComplete: false)
          continue
        }
        return (path, Pending.Attempt())
      }
      guard let (path, attempt) = pending.takeNext(at: now) else { return nil }
      guard reading[path] == nil else {
        pending.note(path, at: now, isComplete: false)
        continue
      }
      return (path, attempt)
    }
    return nil
  }

  private mutating func nextScanStep(at now: DispatcherInstant) -> Step? {
    guard !scan.isOut, found.isEmpty, scanAt <= now else { return nil }
    if let listing = scan.listing {
      scan.isOut = true
      return .list(listing.directory)
    }
    if let directory = scan.popNext() {
      scan.isOut = true
      if mayWatch { return .watch(directory) }
      guard begin(directory, nil) else { return nextScanStep(at: now) }
      return .list(directory)
    }
    finishScan(at: now)
    if !scan.isOver { return nextScanStep(at: now) }
    let watches = tree.takeDetached()
    return watches.isEmpty ? nil : .unwatch(watches)
  }

  private mutating func finishScan(at now: DispatcherInstant) {
    guard scan.finishRescan() else { return }
    counts.scans += 1
    notices.append(.scanned(files: catalogue.count))
    if blindness != nil, mayWatch, !isBlindStill {
      blindness = nil
      notices.append(.seesAgain)
    }
    isBlindStill = false
    if scan.isRescan { return }
    rescanAt = rescanInterval.map { now.advanced(by: $0) }
  }

  var rescanInterval: Duration? {
    settings.rescanEvery ?? (blindness == nil ? nil : Self.blindInterval)
  }

  private var isDone: Bool {
    reading.isEmpty && found.isEmpty && pending.count == 0 && scan.isOver && !saving.isOut
  }

  /// When there may be something to do that cannot be done now.
  func nextTime(at now: DispatcherInstant) -> DispatcherInstant? {
    guard stop == nil, phase != .over else { return nil }
    var times: [DispatcherInstant] = []
    if reading.count < settings.limits.files, let next = pending.next { times.append(next) }
    if !scan.isOver, scanAt > now { times.append(scanAt) }
    if phase == .keeping {
      if let next = saving.nextTime(catalogue) { times.append(next) }
      if let rescanAt { times.append(rescanAt) }
    }
    return times.min()
  }

  // MARK: Settings and the end

  mutating func apply(_ settings: Keeper.Settings, at now: DispatcherInstant) {
    self.settings = settings
    saving.interval = settings.replaceEvery
    pending.patience = settings.patience
    rescanAt = rescanInterval.map { now.advanced(by: $0) }
  }

  mutating func takeNotices() -> [Notice] {
    defer { notices = [] }
    return notices
  }

  /// Writes what is not written yet, once no task runs any more.
  ///
  /// - Returns: Why that was not possible, else nil.
  mutating func finish(_ files: inout ManifestFiles) -> Stop? {
    saving.finish(&catalogue, &files)
  }

  // MARK: What the process has run out of

  mutating func noteShortage(_ error: SystemError, at now: DispatcherInstant) -> DispatcherInstant {
    if shortage == nil { notices.append(.shortage(error)) }
    shortage = error
    return now.advanced(by: Self.shortageDelay)
  }

  mutating func noteNoShortage() {
    if shortage.take() != nil { notices.append(.shortageIsOver) }
  }

  mutating func noteBlindness(_ error: SystemError) {
    if blindness == nil {
      notices.append(.blind(error, rescanEvery: settings.rescanEvery ?? Self.blindInterval))
    }
    blindness = error
    isBlindStill = true
  }
}
