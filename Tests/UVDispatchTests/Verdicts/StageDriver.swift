import TaskDispatch
import TaskDispatchTesting
import TestSupport

@testable import UVDispatch

/// Takes a ``Stage`` through its program. It opens one gate after the other, each when the dispatcher owes
/// nothing any more, until everything has ended.
struct StageDriver {
  /// How long the dispatcher may take for what it owes. Only a broken one takes that long.
  let limit: Duration
  let stage: Stage
  private var dice: Dice
  /// In one program of three, two gates may open at once.
  private let races: Bool
  private let loopIsThere = Latch()
  /// The states that the driver saw between its steps.
  private(set) var seen: [WaitState] = []
  /// The threads that run the scripts of outsiders, and those that resume and leave at the end.
  private var others: [OtherThread] = []

  init(_ program: WaitProgram, limit: Duration) throws {
    self.limit = limit
    stage = try Stage(program)
    dice = Dice(seed: program.seed &* 31 + 7)
    races = program.seed % 3 == 2
  }

  /// Runs `program` to its end.
  ///
  /// - Returns: What the dispatcher did wrong.
  static func findings(in program: WaitProgram, limit: Duration) throws -> [Finding] {
    var driver = try StageDriver(program, limit: limit)
    driver.run()
    return driver.stage.change { $0.findings }
  }

  mutating func run() {
    let (stage, loopIsThere) = (stage, loopIsThere)
    let report = Box<ShutdownReport?>(nil)
    let loop = OtherThread { report.value = stage.dispatcher.run() }
    stage.dispatcher.foreground {
      stage.change { $0.places[CurrentThread.id] = .loop }
      loopIsThere.open()
    }
    guard loopIsThere.wait(limit) else { fatalError("the loop does not run") }
    for number in stage.program.outsiders.indices { startOutsider(number) }
    while step() {}
    giveUp()
    guard others.allSatisfy({ $0.join() }) else { return hang("an outside thread hangs") }
    stage.dispatcher.beginShutdown()
    guard loop.join(), let report = report.value else { return hang("the shutdown has no report") }
    check(report)
  }

  private mutating func startOutsider(_ number: Int) {
    let stage = stage
    startOther { context in stage.perform(stage.program.outsiders[number], in: context) }
  }

  /// Starts an outside thread, and waits until it is in the record.
  private mutating func startOther(_ body: @escaping @Sendable (_ context: Int) -> Void) {
    let (stage, number, began) = (stage, others.count, Latch())
    others.append(
      OtherThread {
        stage.change { $0.places[CurrentThread.id] = .outside(number) }
        let context = stage.begin(.outsider(number))
        began.open()
        body(context)
        stage.change { $0.places[CurrentThread.id] = nil }
        stage.end(context)
      })
    _ = began.wait(limit)
  }

  // MARK: Steps

  /// Waits until nothing is owed, and acts. False when the program is over.
  private mutating func step() -> Bool {
    let record = stage.await(limit) { record -> Stage.Record? in
      if !record.findings.isEmpty { return record }
      return WaitChecker(record.state).due == nil ? record : nil
    }
    guard let record else { return !missed() }
    // After a finding, the rest of the record is doubtful.
    if !record.findings.isEmpty { return false }
    guard hasTakenItsPlaces(record) else { return true }
    if seen.count < 40 { seen.append(record.state) }
    let isTimeDue = WaitChecker(record.state).timeDue != nil
    if !record.gates.isEmpty, !(isTimeDue && dice.once(in: 8)) {
      stage.open(pick(record.gates.mapValues(\.next)))
      return true
    }
    // The next change is that a timer has started or a time-out has passed.
    if isTimeDue { return awaitChange(since: record) || !missed() }
    return letGo(record)
  }

  /// Waits until each `sync` of the record has come to the dispatcher. A thread that is slow between the two
  /// would otherwise take its place in a queue behind what the driver lets happen next.
  ///
  /// - Returns: False if the record has changed.
  private func hasTakenItsPlaces(_ record: Stage.Record) -> Bool {
    let waits = record.state.queues.reduce(0) { sum, queue in
      sum + queue.items.count { if case .caller = $0.content { true } else { false } }
    }
    let deadline = ContinuousClock.now + limit
    // This must not disturb the dispatcher. After an ordinary section of the lock it would search for
    // deadlocks.
    while stage.dispatcher.callersOfSync < waits {
      if stage.changes != record.changes { return false }
      if ContinuousClock.now >= deadline { return true }
    }
    return true
  }

  /// Picks one of the frames at gates, or two whose next steps may come in either order.
  private mutating func pick(_ held: [Int: WaitStep?]) -> [Int] {
    let contexts = held.keys.sorted()
    let first = contexts[dice.roll(contexts.count)]
    guard races, held.count > 1, dice.once(in: 2) else { return [first] }
    let second = contexts[dice.roll(contexts.count)]
    guard second != first, let one = held[first], let other = held[second] else { return [first] }
    return Self.mayRace(one, other) ? [first, second] : [first]
  }

  /// Whether the record says the same in both orders of two steps. It may not keep the order of steps that come
  /// at once.
  private static func mayRace(_ one: WaitStep?, _ other: WaitStep?) -> Bool {
    switch (one, other) {
    case (.sync(let queue, _, _), .sync(let otherQueue, _, _)): queue != otherQueue
    case (.sync, .waitForTask), (.waitForTask, .sync), (.sync, .waitForGroup),
      (.waitForGroup, .sync),
      (.waitForTask, .waitForTask), (.waitForTask, .waitForGroup), (.waitForGroup, .waitForTask),
      (.waitForGroup, .waitForGroup), (nil, .sync), (.sync, nil), (nil, .waitForTask),
      (.waitForTask, nil), (nil, .waitForGroup), (.waitForGroup, nil):
      true
    default: false
    }
  }

  private func awaitChange(since known: Stage.Record) -> Bool {
    stage.await(limit) { $0.changes == known.changes ? nil : true } != nil
  }

  /// Nothing goes on by itself, so a thread resumes a view or leaves a group. It may then have to run a
  /// callback. False if there is nothing to resume or to leave.
  private mutating func letGo(_ record: Stage.Record) -> Bool {
    let (stage, state) = (stage, record.state)
    for queue in state.queues.indices where state.queues[queue].suspensions > 0 {
      startOther { _ in stage.resume(queue) }
      return true
    }
    for group in state.groups.indices where state.groups[group].handEntries > 0 {
      startOther { _ in stage.leave(group) }
      return true
    }
    let isEmpty =
      state.contexts.isEmpty && state.timers.isEmpty
      && state.queues.allSatisfy(\.items.isEmpty)
    if isEmpty { return false }
    // Either only a timer can go on, and it is not certain that it must, or nothing can.
    if !state.timers.isEmpty, awaitChange(since: record) { return true }
    stage.change { record in
      record.report(.hang, "nothing is suspended or entered any more, and not all has ended")
    }
    return false
  }

  /// The dispatcher owed something, and it did not come. False if it has come by now.
  private func missed() -> Bool {
    stage.change { record in
      let checker = WaitChecker(record.state)
      guard let due = checker.due ?? checker.timeDue else { return false }
      let kind: Finding.Kind =
        switch due {
        case .event: .hang
        case .help: .missedHelp
        case .refusal: .missedRefusal
        }
      record.report(kind, "within \(limit) this did not come about: \(due.text)")
      return true
    }
  }

  // MARK: The end

  /// Lets every script end where it stands. If a thread is left that nothing frees, the process ends at once:
  /// libuv would join that thread at the exit, and the next program would find no worker.
  private func giveUp() {
    let (gates, state, handles) = stage.change { record in
      record.isOver = true
      return (record.gates, record.state, record.handles)
    }
    for held in gates.values { held.gate.open() }
    for queue in state.queues.indices { while stage.resume(queue) {} }
    for group in state.groups.indices { while stage.leave(group) {} }
    if !state.contexts.isEmpty { for handle in handles.values { handle.cancel() } }
    let isFree = stage.await(min(limit, .seconds(2))) { $0.state.contexts.isEmpty ? true : nil }
    if isFree == nil { hang("threads are blocked for ever") }
  }

  private func hang(_ text: String) {
    let findings = stage.change { $0.findings }
    fatalError(
      """
      VERDICT \(stage.program.seed) [\(findings.first?.kind.rawValue ?? "hang")]: \(text)
      \(stage.program)
      \(findings.map(\.description).joined(separator: "\n"))
      """)
  }

  private func check(_ report: ShutdownReport) {
    stage.change { record in
      guard record.findings.isEmpty else { return }
      record.isOver = false
      let ledger = report.ledger
      // A refused `sync` is counted as refused or as cancelled.
      let missing = ledger.submitted - ledger.completed
      if !ledger.balances
        || ledger.waiting + ledger.running + ledger.failed + ledger.expired
          + ledger.abandoned > 0
        || missing > record.refusals || !report.unfinished.isEmpty
      {
        record.report(.badEnd, "the report is \(report)")
      }
    }
  }
}

extension UVDispatcher {
  /// How many threads are blocked in a `sync`.
  fileprivate var callersOfSync: Int {
    engine.monitor.lock()
    defer { engine.monitor.unlock(telling: false) }
    let core = engine.core
    return core.blocked.threads.count { thread in
      // A thread whose body runs on the loop, or has run, is still blocked, but stands in no queue.
      guard case .admission(let caller) = thread.target else { return false }
      return !core.isRunning(caller) && !caller.hasRun && !caller.isRejected
    }
  }
}
