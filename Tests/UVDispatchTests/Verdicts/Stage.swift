import TaskDispatch
import TaskDispatchTesting
import UVDispatch

/// Runs the scripts of one ``WaitProgram`` on a real dispatcher, and records what each thread does.
///
/// Every script stops at a gate before each of its steps, and before its end. The record is written in the
/// order of its lock: before a call that submits, waits, suspends, resumes or leaves, and after a call that has
/// returned.
///
/// The last line of a script records the end of its body, so the record may be ahead of that end. It is never
/// behind in anything that could end a wait: what has begun and is not yet recorded is, in the record,
/// something that can begin.
final class Stage: @unchecked Sendable {
  struct Record {
    var state: WaitState
    /// The state before each change so far, the last one last.
    var earlier: [WaitState] = []
    var handles: [Int: TaskHandle<Void>] = [:]
    /// The gates at which frames are held.
    var gates: [Int: (gate: Parker, next: WaitStep?)] = [:]
    /// Frames that were held at closed gates when the driver last acted.
    var held: Set<Int> = []
    /// Callbacks that wait until a group is empty or a task has ended.
    var whenEmpty: [Int: [Int]] = [:]
    var whenEnded: [Int: [Int]] = [:]
    var places: [UInt: WaitState.Place] = [:]
    var findings: [Finding] = []
    var story: [String] = []
    var numbers = 0
    /// Whether the driver has given up. Scripts then skip what is left of them.
    var isOver = false
    /// How often the record was changed.
    var changes = 0
    /// How many calls of `sync` were refused.
    var refusals = 0

    mutating func number() -> Int {
      numbers += 1
      return numbers
    }
  }

  let program: WaitProgram
  let dispatcher: UVDispatcher
  let queues: [TaskQueue]
  let groups: [WorkGroup]
  let monitor = Monitor()
  // Guarded by the monitor.
  private var record: Record

  init(_ program: WaitProgram) throws {
    self.program = program
    dispatcher = try UVDispatcher(
      .init(label: "verdict", backgroundWidth: program.workers))
    let dispatcher = dispatcher
    queues =
      [dispatcher.foreground, dispatcher.background]
      + program.views.enumerated().map { number, width in
        dispatcher.makeQueue(label: "v\(number)", width: width)
      }
    groups = (0..<program.groups).map { _ in WorkGroup() }
    record = Record(
      state: WaitState(
        workers: program.workers, threads: max(1, dispatcher.effectivePoolThreads - 1),
        views: program.views, groups: program.groups))
  }

  /// Changes the record, and wakes the driver to look at it.
  @discardableResult
  func change<Result>(_ body: (inout Record) -> Result) -> Result {
    monitor.lock()
    defer { monitor.unlock() }
    record.changes += 1
    record.earlier.append(record.state)
    return body(&record)
  }

  /// How often the record has changed.
  var changes: Int {
    monitor.lock()
    defer { monitor.unlock() }
    return record.changes
  }

  /// Called on the driver's thread. Waits until `body` returns something. Nil if `limit` passes first.
  ///
  /// - Parameter limit: Begins again with each change.
  func await<Result>(_ limit: Duration, _ body: (inout Record) -> Result?) -> Result? {
    monitor.lock()
    defer { monitor.unlock() }
    while true {
      if let result = body(&record) { return result }
      let known = record.changes
      let deadline = monotonicNanoseconds() + limit.clampedNanoseconds
      while record.changes == known {
        if monotonicNanoseconds() >= deadline { return nil }
        monitor.wait(until: deadline)
      }
    }
  }

  // MARK: Frames

  /// Begins a script on the calling thread, and returns the number of its frame for the other calls.
  func begin(_ work: WaitState.Work, queue: Int? = nil, isBarrier: Bool = false) -> Int {
    let thread = CurrentThread.id
    return change { record in
      let place = record.places[thread] ?? .worker(thread)
      if let queue { record.take(work, from: queue, on: place) }
      if case .callback(let callback) = work { record.state.dueCallbacks.remove(callback) }
      let number = record.number()
      record.state.contexts.append(
        .init(
          number: number, place: place, work: work, queue: queue, isBarrier: isBarrier))
      record.story.append("\(record.state.name(ofFrame: number)) begins on \(place)")
      return number
    }
  }

  func end(_ context: Int) {
    change { record in
      record.story.append("\(record.state.name(ofFrame: context)) ends")
      let ended = record.state.context(context)
      record.change(endingTaskOf: ended?.queueOfEndingTask(in: record.state)) {
        $0.endFrame(context)
      }
    }
  }

  /// Waits until the driver opens the gate. False if the script should end.
  func arrive(_ context: Int, before step: WaitStep?) -> Bool {
    let gate = Parker()
    let isOver = change { record in
      guard !record.isOver, let index = record.state.index(ofFrame: context) else { return true }
      record.state.contexts[index].activity = .held
      record.gates[context] = (gate, step)
      let name = record.state.name(ofFrame: context)
      record.story.append("\(name) stands before \(step?.description ?? "its end")")
      return false
    }
    if isOver { return false }
    _ = gate.wait()
    return !change { $0.isOver }
  }

  /// Called on the driver's thread. Lets `contexts` go on to their next gates, all at once.
  func open(_ contexts: [Int]) {
    let gates = change { record -> [Parker] in
      record.held = Set(record.gates.keys).subtracting(contexts)
      for context in contexts {
        record.setActivity(of: context, .moving)
        record.story.append("the gate of \(record.state.name(ofFrame: context)) opens")
      }
      return contexts.compactMap { record.gates.removeValue(forKey: $0)?.gate }
    }
    for gate in gates { gate.open() }
  }
}
