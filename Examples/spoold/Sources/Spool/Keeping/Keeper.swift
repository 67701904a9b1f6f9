internal import Glibc
public import TaskDispatch

/// Keeps the manifest of a spool true, for as long as its dispatcher runs.
///
/// ```
///   notices ──▶ the foreground ──▶ what to do next
///                 ▲        │
///   a worker:     │        ├──▶ watch and list a directory   a view of width 1
///                 └────────┼──▶ read a file                  the background
///                          └──▶ write the manifest           a view of width 1
/// ```
///
/// ``KeeperState`` makes all decisions, on the foreground. Only workers wait for the disk.
public final class Keeper: Sendable {
  let dispatcher: any EventDispatcher
  let state: Confined<KeeperState>
  let reader: FileReader
  let walking: TaskQueue
  let lister: Confined<Lister>
  let writing: TaskQueue
  let files: Confined<ManifestFiles>
  let inotify: Inotify?
  private let ear: Confined<Ear>

  /// What brings notices and the time to the keeper, and its closures.
  private struct Ear {
    var registration: Registration?
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    var alarm: (time: DispatcherInstant, timer: TimerHandle)?
    /// Released at the end, since the closures are likely to hold the keeper.
    var onNotice: (@Sendable (Notice) -> Void)?
    var onEnd: (@Sendable () -> Void)?
  }

  /// Opens or makes the manifest, and takes in what it says.
  ///
  /// - Throws: If the manifest cannot be opened.
  public convenience init(
    of spool: SpoolDirectory, into manifest: BytePath, dispatcher: any EventDispatcher,
    settings: Settings = Settings()
  ) throws(Stop) {
    try self.init(
      reader: FileReader(spool, settling: Settling()), into: manifest, dispatcher: dispatcher,
      settings: settings)
  }

  init(
    reader: FileReader, into manifest: BytePath, dispatcher: any EventDispatcher,
    settings: Settings
  ) throws(Stop) {
    self.dispatcher = dispatcher
    self.reader = reader
    var catalogue = Catalogue()
    let files = try ManifestFiles(
      manifest, onLine: { catalogue.add($0) }, onFact: { catalogue.add($0) })
    let (stampCount, own) = (files.stampCount, files.names(in: reader.spool))
    walking = dispatcher.makeQueue(label: "walk", width: 1)
    lister = Confined(Lister(reader.spool), to: walking)
    writing = dispatcher.makeQueue(label: "save", width: 1)
    self.files = Confined(files, to: writing)
    var reason: SystemError?
    do throws(SystemError) { inotify = try Inotify() } catch {
      inotify = nil
      reason = error
    }
    ear = Confined(Ear(), to: dispatcher.foreground)
    state = Confined(
      KeeperState(
        settings, catalogue, stampCount: stampCount, own: own,
        places: inotify?.watchPlaces(of: reader.spool) ?? [], cannotWatch: reason),
      to: dispatcher.foreground)
  }

  /// Begins: goes through all of the spool, and watches it from then on. Any thread may call it, once.
  ///
  /// - Parameters:
  ///   - onNotice: Told on the foreground what a person may want to know.
  ///   - onEnd: Called once, on the foreground, when everything is done that ``drain()`` asked for, or
  ///     nothing more can be done. It must shut the dispatcher down.
  public func start(
    onNotice: @escaping @Sendable (Notice) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    dispatcher.foreground.async(label: "start") {
      self.ear.withValue { ear in
        ear.onNotice = onNotice
        ear.onEnd = onEnd
      }
      self.listen()
      self.goOn()
    }
  }

  /// Goes through all of the spool again. Call it on the foreground. Calls during a scan cause one more
  /// scan after it, however many they are. Nothing happens after ``drain()``.
  public func rescan() {
    state.withValue { $0.rescan() }
    goOn()
  }

  /// Takes over other settings. Files that wait already wait as before. Call it on the foreground.
  public func apply(_ settings: Settings) {
    state.withValue { $0.apply(settings, at: dispatcher.now) }
    goOn()
  }

  /// Takes no more notices, and does what is known without waiting longer than necessary. Call it on
  /// the foreground.
  public func drain() {
    // The notices of all that has happened so far can be read now. More may arrive while they are read,
    // so the number of reads is limited.
    var reads = 0
    while reads < Self.mostReads, hear() { reads += 1 }
    ear.withValue { $0.registration.take() }?.cancel()
    state.withValue { $0.drain(at: dispatcher.now) }
    goOn()
  }

  /// Ends everything, once the dispatcher has shut down. Any thread may call it, once.
  ///
  /// - Parameter isInHurry: Whether the manifest stays as it is: the next run corrects it.
  /// - Returns: What was left undone.
  public func finish(inHurry isInHurry: Bool = false) -> Remains {
    _ = ear.takeValue()
    var state = state.takeValue()
    var remains = Remains(state)
    let report = dispatcher.report!
    // A worker that still writes uses the files.
    let isWriting = report.unfinished.contains { $0.label == Self.saving && $0.state == .abandoned }
    if !isWriting, !isInHurry, remains.stop == nil {
      var files = files.takeValue()
      remains.stop = state.finish(&files)
    }
    remains.unsaved = state.catalogue.unsavedCount
    return remains
  }

  static let saving = "save"
  /// More reads than the kernel's queue can need.
  private static let mostReads = 256

  /// The descriptor that becomes readable when something has changed.
  var noticesDescriptor: Int32? { inotify?.descriptor.number }

  // MARK: On the foreground

  private func listen() {
    // If `drain()` was called before this, the keeper must not listen.
    guard let inotify, state.withValue({ $0.phase == .keeping }) else { return }
    let registration = try? dispatcher.onReady(
      inotify.descriptor.number, for: .readable, label: "notices"
    ) { _ in
      _ = self.hear()
      self.goOn()
    }
    // The dispatcher refuses only if a shutdown has begun already.
    ear.withValue { $0.registration = registration }
  }

  /// Takes in the notices that one read brings. False if there are none, and none can be expected now.
  private func hear() -> Bool {
    guard let inotify else { return false }
    let heard = ear.withValue { ear -> Result<[WatchEvent]?, SystemError> in
      Result { () throws(SystemError) in
        let count = try inotify.read(into: &ear.buffer)
        guard count > 0 else { return [] }
        let (events, isWhole) = WatchEvent.parse(ear.buffer[..<count])
        return isWhole ? events : nil
      }
    }
    switch heard {
    case .success(let events?) where events.isEmpty: return false
    case .success(let events?): state.withValue { $0.takeIn(events, at: dispatcher.now) }
    // A scan of the whole spool finds what the lost notices were about.
    case .success(nil): state.withValue { $0.overflow() }
    case .failure(let error):
      ear.withValue { $0.registration.take() }?.cancel()
      state.withValue { $0.noteBlindness(error) }
      return false
    }
    return true
  }

  /// Does the next steps, until a step must wait for something.
  func goOn() {
    // Each step is decided while the state is borrowed and done after that, since a dispatcher may run
    // a task at once.
    while let step = state.withValue({ $0.nextStep(at: dispatcher.now) }) { perform(step) }
    let onNotice = ear.withValue { $0.onNotice }
    for notice in state.withValue({ $0.takeNotices() }) { onNotice?(notice) }
    setAlarm()
    let isOver = state.withValue { $0.phase == .over || $0.stop != nil }
    guard isOver else { return }
    ear.withValue { $0.registration.take() }?.cancel()
    ear.withValue { $0.onEnd.take() }?()
  }

  /// Sets a timer that calls ``goOn()`` when there may be something to do. There is none if nothing
  /// waits.
  private func setAlarm() {
    let now = dispatcher.now
    let time = state.withValue { $0.nextTime(at: now) }
    ear.withValue { ear in
      // A timer that comes too early finds nothing to do, and sets the next one. That is cheaper than
      // to replace the timer each time.
      if let alarm = ear.alarm, let time, alarm.time <= time { return }
      ear.alarm.take()?.timer.cancel()
      guard let time else { return }
      let timer = dispatcher.foreground.after(now.duration(to: time), label: "alarm") {
        self.ear.withValue { $0.alarm = nil }
        self.goOn()
      }
      ear.alarm = (time, timer)
    }
  }
}
