public import TaskDispatch

/// Takes all files of a spool into a manifest.
///
/// ```
///   walk                  read               take in
///   a view of width 1 ──▶ the background ──▶ the foreground
/// ```
///
/// The amount of work under way is bounded: the walk goes on only when all that it has found is handed
/// out, and only so many files at a time are with the workers. When everything is taken in, or nothing
/// more can be, the intake shuts the dispatcher down; then ``finish()`` reports the result.
public final class Intake: Sendable {
  /// How much may be under way at a time.
  public struct Limits: Sendable, Hashable {
    /// Files that are with the workers, or on their way there or back.
    public var files: Int
    /// Entries of directories that are looked at in one step.
    public var entries: Int

    public init(files: Int = 64, entries: Int = 256) {
      self.files = files
      self.entries = entries
    }
  }

  private let dispatcher: any TaskDispatcher
  /// A view of width 1: it keeps the steps of the walk apart, so the walk can be confined to it.
  private let walking: TaskQueue
  private let walk: Confined<Walk>
  private let state: Confined<IntakeState>
  private let reader: FileReader
  private let limits: Limits
  private let onProblem: @Sendable (Problem) -> Void
  private let began: DispatcherInstant

  /// Opens or makes the manifest, and cuts off what a crash has left of its last line.
  ///
  /// - Parameter onProblem: Told of what cannot be taken in, on the foreground.
  public convenience init(
    of spool: SpoolDirectory, into manifest: BytePath, dispatcher: any TaskDispatcher,
    limits: Limits = Limits(), settling: Settling = Settling(),
    onProblem: @escaping @Sendable (Problem) -> Void
  ) throws(Stop) {
    let reader = FileReader(spool, settling: settling)
    try self.init(
      reader: reader, into: manifest, dispatcher: dispatcher, limits: limits, onProblem: onProblem)
  }

  init(
    reader: FileReader, into manifest: BytePath, dispatcher: any TaskDispatcher,
    limits: Limits = Limits(), onProblem: @escaping @Sendable (Problem) -> Void
  ) throws(Stop) {
    self.dispatcher = dispatcher
    self.reader = reader
    self.limits = limits
    self.onProblem = onProblem
    began = dispatcher.now
    walking = dispatcher.makeQueue(label: "walk", width: 1)
    walk = Confined(Walk(reader.spool), to: walking)
    state = Confined(IntakeState(try Manifest(manifest)), to: dispatcher.foreground)
  }

  /// Begins. Any thread may call it, once.
  public func start() { dispatcher.foreground.async(label: "start") { self.goOn() } }

  /// Whether everything is taken in. Call it on the foreground.
  public var isOver: Bool { state.withValue { $0.isOver } }

  /// The files that the run has finished with, whatever the result. Call it on the foreground.
  public var passed: Amount { state.withValue { $0.passed } }

  /// Completes the manifest, once the dispatcher has shut down. Any thread may call it, once.
  ///
  /// - Throws: Why the run did not finish, or why the manifest could not be completed. Lines that had
  ///   been written stay, and are whole.
  public func finish() throws(Stop) -> Summary {
    var state = state.takeValue()
    try state.finish()
    var summary = state.summary
    summary.elapsed = began.duration(to: dispatcher.now)
    return summary
  }

  // MARK: On the foreground

  /// Does the next steps, until a step must wait for a worker.
  private func goOn() {
    // Each step is decided while the state is borrowed and done after that, since a dispatcher may run
    // a task at once.
    while let step = state.withValue({ $0.nextStep(limits) }) {
      switch step {
      case .walk: walkOn()
      case .read(let found): read(found)
      case .end: dispatcher.beginShutdown()
      }
    }
  }

  private func walkOn() {
    walking.async(label: "walk") { [walk, limits] in
      try walk.withValue { walk in try walk.next(limits.entries) }
    } then: { result in
      self.takeIn(result)
    }
  }

  private func takeIn(_ batch: Result<Walk.Batch, any Error>) {
    settle {
      let batch = try batch.get()
      for problem in batch.problems { self.onProblem(problem) }
      self.state.withValue { $0.takeIn(batch) }
    }
  }

  private func read(_ found: Walk.Found) {
    dispatcher.background.async(label: "read \(found.path)") { [reader] in
      try reader.read(found.path)
    } then: { reading in
      self.takeIn(found, reading, tries: 1)
    }
  }

  /// Reads a file again that was written to just now, a little later.
  private func read(_ found: Walk.Found, unsettled stamp: Stamp, tries: Int) {
    let delay = reader.settling.time(for: stamp)
    dispatcher.background.after(delay, label: "read \(found.path)") { [self, dispatcher, reader] in
      let reading = Result { try reader.read(found.path, quietSince: stamp) }
      dispatcher.foreground.async(label: "read \(found.path)") {
        self.takeIn(found, reading, tries: tries + 1)
      }
    }
  }

  /// How often a file may be found unsettled. A file that is still unsettled then is written to all the
  /// time.
  private static let mostTries = 4

  private func takeIn(
    _ found: Walk.Found, _ reading: Result<FileReader.Reading, any Error>, tries: Int
  ) {
    if case .success(.unsettled(let stamp)) = reading, tries < Self.mostTries {
      return read(found, unsettled: stamp, tries: tries)
    }
    settle {
      if let problem = try self.state.withValue({ try $0.takeIn(found, reading) }) {
        self.onProblem(problem)
      }
    }
  }

  /// Goes on after `body`. If `body` throws, the intake ends, and waits for workers only until they
  /// have checked whether they must stop.
  private func settle(_ body: () throws -> Void) {
    do {
      try body()
      goOn()
    } catch {
      state.withValue { $0.note(error) }
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .seconds(10)))
    }
  }
}
