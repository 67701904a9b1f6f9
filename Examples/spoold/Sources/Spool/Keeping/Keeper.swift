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
/// All decisions are ``KeeperState``'s, on the foreground; all waiting is done by workers.
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

  /// How it hears of what happens, and of the time.
  private struct Ear {
    var registration: Registration?
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    var alarm: (time: DispatcherInstant, timer: TimerHandle)?
    /// Let go of at the end: they are likely to hold the keeper.
    var onNotice: (@Sendable (Notice) -> Void)?
    var onEnd: (@Sendable () -> Void)?
  }

  /// Opens the manifest, or makes it, and takes in what it knows.
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

  /// Begins: goes through all of the spool, and watches it from then on. Once; any thread.
  ///
  /// - Parameters:
  ///   - onNotice: Told what a person may want to know, on the foreground.
  ///   - onEnd: Called once, on the foreground, when everything is done that ``drain()`` asked for, or
  ///     nothing more can be. It is to shut the dispatcher down.
  public func start(
    onNotice: @escaping @Sendable (Notice) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    dispatcher.foreground(label: "start") {
      self.ear.withValue { ear in
        ear.onNotice = onNotice
        ear.onEnd = onEnd
      }
      self.listen()
      self.goOn()
    }
  }

  /// Goes through all of the spool again. On the foreground; asked for meanwhile, it is done once
  /// more, however often. Nothing happens after ``drain()``.
  public func rescan() {
    state.withValue { $0.rescan() }
    goOn()
  }

  /// Takes over other settings. What waits already waits as before. On the foreground.
  public func apply(_ settings: Settings) {
    state.withValue { $0.apply(settings, at: dispatcher.now) }
    goOn()
  }

  /// Hears of nothing new, and does what it knows of without waiting longer than it must. On the
  /// foreground.
  public func drain() {
    // What had happened by now is there to be read; so is what happens meanwhile, so there is an end.
    var reads = 0
    while reads < Self.mostReads, hear() { reads += 1 }
    ear.withValue { $0.registration.take() }?.cancel()
    state.withValue { $0.drain(at: dispatcher.now) }
    goOn()
  }

  /// Brings the manifest to its end, once the dispatcher has shut down. Any thread, once.
  ///
  /// - Parameter isInHurry: Whether the manifest stays as it is: its next user makes it true.
  /// - Returns: What was left undone.
  public func finish(inHurry isInHurry: Bool = false) -> Remains {
    _ = ear.takeValue()
    var state = state.takeValue()
    var remains = Remains(state)
    let report = dispatcher.report!
    // A worker that still writes has the files in its hands.
    let isWriting = report.unfinished.contains { $0.label == Self.saving && $0.state == .abandoned }
    if !isWriting, !isInHurry, remains.stop == nil {
      var files = files.takeValue()
      remains.stop = state.finish(&files)
    }
    remains.unsaved = state.catalogue.unsavedCount
    return remains
  }

  static let saving = "save"
  /// More than enough for all that the kernel keeps.
  private static let mostReads = 256

  /// Becomes readable when something has changed.
  var noticesDescriptor: Int32? { inotify?.descriptor.number }

  // MARK: On the foreground

  private func listen() {
    // A drain that was faster wants nothing new to be heard of.
    guard let inotify, state.withValue({ $0.phase == .keeping }) else { return }
    let registration = try? dispatcher.onReady(
      inotify.descriptor.number, for: .readable, label: "notices"
    ) { _ in
      _ = self.hear()
      self.goOn()
    }
    // Refused only because a shutdown has begun already.
    ear.withValue { $0.registration = registration }
  }

  /// Takes in notices, as many as come at once. False if there are none, and there will be none now.
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
    // Whatever was lost, going through everything finds it.
    case .success(nil): state.withValue { $0.overflow() }
    case .failure(let error):
      ear.withValue { $0.registration.take() }?.cancel()
      state.withValue { $0.noteBlindness(error) }
      return false
    }
    return true
  }

  /// Does what can be done next, until nothing can before something comes.
  func goOn() {
    // Decided with the state in hand, done without it: a dispatcher may run a task at once.
    while let step = state.withValue({ $0.nextStep(at: dispatcher.now) }) { perform(step) }
    let onNotice = ear.withValue { $0.onNotice }
    for notice in state.withValue({ $0.takeNotices() }) { onNotice?(notice) }
    setAlarm()
    let isOver = state.withValue { $0.phase == .over || $0.stop != nil }
    guard isOver else { return }
    ear.withValue { $0.registration.take() }?.cancel()
    ear.withValue { $0.onEnd.take() }?()
  }

  /// Has ``goOn()`` called when there may be something to do. Nothing is set while it is quiet.
  private func setAlarm() {
    let now = dispatcher.now
    let time = state.withValue { $0.nextTime(at: now) }
    ear.withValue { ear in
      // One that comes too early finds nothing, and sets the next: that is cheaper than to set it
      // anew each time.
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
