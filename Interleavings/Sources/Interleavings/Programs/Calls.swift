import Judging
import Scheduling
import TaskDispatch
import UVDispatch

/// Threads that each make a few calls, which the simulation chooses.
final class Calls: @unchecked Sendable {
  let scene: Scene
  let setup: Setup
  let history: History
  let queues: [TaskQueue]
  let dispatchers: [UVDispatcher]
  var handles: [Handle] = []
  var timers: [(handle: TimerHandle, timer: History.Timer)] = []
  /// Groups that all threads use.
  let groups: [Group]
  var notifications: [History.Entry] = []
  /// Threads that make calls; callbacks of groups, and Tasks, that have to come.
  var (calling, callbacks, awaiting) = (0, 0, 0)

  typealias Group = (group: WorkGroup, noted: History.Group)

  /// A handle of either kind, and what it is the handle of.
  struct Handle: Sendable {
    let entry: History.Entry
    let cancel: @Sendable () -> Cancellation
    let outcome: @Sendable () -> Outcome?
    let awaited: @Sendable () async -> Outcome
    let wait: @Sendable (Duration?) throws(WaitRefusal) -> Outcome
  }

  init(_ scene: Scene, _ setup: Setup) {
    self.scene = scene
    self.setup = setup
    let starts = setup.ends || setup.takesTime || setup.queues.contains(.loop)
    dispatchers = (0..<setup.dispatchers).map { _ in
      scene.dispatcher(starts: starts, overflow: setup.overflow)
    }
    queues = dispatchers.flatMap { dispatcher in
      setup.queues.map { kind in
        switch kind {
        case .loop: dispatcher.foreground
        case .pool: dispatcher.background
        case .serial: dispatcher.makeQueue(label: "serial", width: 1)
        case .wide: dispatcher.makeQueue(label: "wide", width: 2)
        }
      }
    }
    let simulation = scene.simulation
    history = History(
      queues: dispatchers.indices.flatMap { number in
        setup.queues.map { kind in
          History.Queue(
            width: kind == .loop || kind == .serial ? 1 : 2, dispatcher: number,
            isLoop: kind == .loop, limit: setup.overflow.limit)
        }
      },
      clock: { simulation.now }, thread: { Self.thread })
    groups = [(WorkGroup(), history.makeGroup()), (WorkGroup(), history.makeGroup())]
  }

  /// The calling thread. Two threads of the pool may have one name.
  private static var thread: String { "\(ExecutionIdentity.ofThread)" }

  func choose(_ count: Int) -> Int { scene.simulation.choose(below: count) }

  func kind(of number: Int) -> Kind { setup.queues[number % setup.queues.count] }

  // MARK: A run

  func run() {
    for name in ["left", "right"] {
      calling += 1
      scene.thread(name) { [self] in
        makeCalls(most: 5)
        calling -= 1
      }
    }
    makeCalls(most: 4)
    if setup.ends {
      history.beginClosing()
      // At its deadlines, it cancels what waits.
      if setup.shutdown != ShutdownPolicy() { queues.indices.forEach(history.leaveOpen) }
      dispatchers[0].beginShutdown(setup.shutdown)
      history.close(Array(setup.queues.indices))
      makeCalls(most: 2)
    }
    settle()
    endTimers()
    conclude()
  }

  /// Lets everything come to its end that can, also by time.
  private func settle() {
    letTimePass { [self] in
      calling == 0 && awaiting == 0 && history.isQuiet && handles.allSatisfy { $0.outcome() != nil }
        && (setup.ends ? dispatchers[0].report != nil : notifications.allSatisfy(\.hasEnded))
    }
    scene.check(calling == 0, "a thread never comes back from a call")
  }

  /// Lets time pass until `isOver`, or until that is late.
  private func letTimePass(until isOver: () -> Bool) {
    scene.simulation.quiesce()
    var rounds = 0
    while rounds < 200, !isOver() {
      rounds += 1
      scene.sleep(.milliseconds(1))
      scene.simulation.quiesce()
    }
  }

  /// Lets each repeating timer run, and cancels it.
  private func endTimers() {
    letTimePass { setup.ends || timers.allSatisfy { $0.timer.hasRun || $0.timer.isCancelled } }
    for (handle, timer) in timers {
      let mayStop = timer.isCancelled || setup.ends
      scene.check(mayStop || timer.hasRun, "rule 8: \(timer.name) has never run")
      cancel(handle, timer)
    }
    letTimePass { timers.allSatisfy { $0.handle.outcomeIfFinished != nil } }
    // No run may come after the end.
    if !timers.isEmpty { scene.sleep(.milliseconds(10)) }
    scene.simulation.quiesce()
    for (handle, timer) in timers { history.note(handle.outcomeIfFinished, of: timer) }
  }

  private func conclude() {
    for handle in handles { history.note(handle.outcome(), of: handle.entry) }
    history.check()
    failIfWrong()
    scene.check(awaiting == 0, "\(awaiting) Tasks await for ever")
    scene.check(callbacks == 0, "\(callbacks) callbacks do not come, and their groups are empty")
    for entry in notifications where !setup.ends {
      scene.check(entry.hasEnded, "\(entry) has not run, and its group is empty")
    }
    scene.check(!setup.ends || dispatchers[0].report != nil, "the shutdown has no report")
  }

  func failIfWrong() {
    if let failure = history.failure { scene.check(false, failure) }
  }

  // MARK: Calls

  private func makeCalls(most: Int) {
    for _ in 0..<choose(most + 1) { makeCall(of: setup.calls) }
  }

  /// - Parameter calls: What the calling code may do.
  func makeCall(of calls: [Call]) {
    let number = choose(queues.count)
    let call = calls[choose(calls.count)]
    // No dispatcher finds circles through another. So bodies of the second do not wait for the first.
    let mayWait = !history.stack.contains { dispatcher(of: $0.queue) > dispatcher(of: number) }
    if call.isWaiting, !mayWait { return readLedger() }
    make(call, number)
    failIfWrong()
  }

  func dispatcher(of number: Int) -> Int { number / setup.queues.count }

  private func make(_ call: Call, _ number: Int) {
    switch call {
    case .post: post(number)
    case .submit: submit(number)
    case .submitInBand: submit(number, band(number))
    case .submitForATime: submit(number, lifetime: .milliseconds(choose(3)))
    case .cancel: cancel(submit(number))
    case .cancelInBand: cancel(submit(number, band(number)))
    case .barrier: barrier(number)
    case .readLedger: readLedger()
    case .suspend: suspend(number)
    case .sync: sync(number, .sync)
    case .syncAsBarrier: sync(number, .barrierSync)
    case .waitForHandle: wait(for: submit(number, band(number)))
    case .waitForOther: waitForOther(number)
    case .waitForTimer: waitForTimer()
    case .waitForReport: waitForReport()
    case .cancelOther: cancelOther()
    case .after: after(number)
    case .every: every(number)
    case .cancelTimer: cancelTimer()
    case .pass: scene.sleep(.milliseconds(1 + choose(2)))
    case .waitForGroup: waitForGroup(number)
    case .notify: notify(number)
    case .enterAndLeave: enterAndLeave(number)
    case .submitIntoGroup: submit(number, group: groups[choose(2)])
    case .waitForShared: wait(for: groups[choose(2)])
    case .notifyOfShared: notify(of: groups[choose(2)], number)
    case .observe: observe()
    case .flush: flush(number)
    case .task: task(number)
    }
  }

  /// A band; on the loop all are one.
  private func band(_ number: Int) -> PriorityBand {
    kind(of: number) == .loop ? .medium : [.medium, .high, .low][choose(3)]
  }

  // MARK: Bodies

  func body(_ entry: History.Entry) -> @Sendable () -> Void {
    let plan = choose(4)
    let thread = Self.thread
    return { [self] in
      history.begin(entry)
      checkThread(of: entry, submittedBy: thread)
      scene.simulation.yield()
      if plan == 3 { makeCall(of: history.stack.count < 4 ? setup.inBodies : .simple) }
      if plan == 2, setup.takesTime { scene.sleep(.milliseconds(1)) }
      readFlag(in: entry)
      history.end(entry)
      failIfWrong()
    }
  }

  func readFlag(in entry: History.Entry) {
    // Another thread may go on between the reading and the note.
    let start = history.mark()
    history.note(isCancelled: CurrentTask.isCancelled, in: entry, since: start)
  }

  func checkThread(of entry: History.Entry, submittedBy caller: String) {
    let thread = scene.simulation.currentName
    let isOwn =
      switch kind(of: entry.queue) {
      case .loop: thread.hasPrefix("uv")
      case .pool, .serial, .wide:
        entry.kind.isSync ? Self.thread == caller : thread.hasPrefix("worker")
      }
    scene.check(isOwn, "\(thread) runs \(entry), which is not its own")
  }

  // MARK: Submissions

  func post(_ number: Int) { post(number, .task) }

  private func barrier(_ number: Int) {
    // The loop runs one at a time anyway, and has no barrier.
    post(number, kind(of: number) == .loop ? .task : .barrier)
  }

  private func post(_ number: Int, _ kind: History.Kind) {
    let entry = history.ask(kind, on: number)
    let body = body(entry)
    submitting(entry) { (kind == .barrier ? queues[number].barrier : queues[number])(body) }
  }

  /// A call that submits. Under a limit, it may block.
  private func submitting(_ entry: History.Entry, _ call: () -> Admission) {
    guard case .blockCaller(_, let timeout) = setup.overflow else {
      return history.note(call(), of: entry)
    }
    let wait = history.beginWait(for: .queue(entry.queue), timeout: timeout?.nanoseconds)
    let admission = call()
    switch admission {
    case .refused(.wouldDeadlock): history.end(wait, .wouldDeadlock(chain: []))
    case .refused(.noRoomInTime): history.end(wait, .timedOut)
    default: history.end(wait)
    }
    history.note(admission, of: entry)
  }

  @discardableResult
  func submit(
    _ number: Int, _ band: PriorityBand = .medium, group: Group? = nil, lifetime: Duration? = nil
  ) -> Handle {
    let entry = history.ask(
      .task, on: number, band, lifetime: lifetime?.nanoseconds, group: group?.noted)
    let body = body(entry)
    var submitted: TaskHandle<Void>!
    submitting(entry) {
      submitted = queues[number].submit(
        priority: band, group: group?.group, timeToLive: lifetime
      ) { body() }
      return admission(submitted.outcomeIfFinished)
    }
    let handle = submitted!
    if choose(3) == 2 { awaitOutcome(of: handle) }
    return keep(
      Handle(
        entry: entry, cancel: { handle.cancel() }, outcome: { handle.outcomeIfFinished },
        awaited: { await handle.outcome },
        wait: { timeout throws(WaitRefusal) in try handle.wait(timeout: timeout) }))
  }

  func keep(_ handle: Handle) -> Handle {
    handles.append(handle)
    return handle
  }

  /// What a call has answered whose handle has this outcome.
  func admission(_ outcome: Outcome?) -> Admission {
    if case .refused(let refusal) = outcome { .refused(refusal) } else { .accepted }
  }

  private func suspend(_ number: Int) {
    guard queues[number].view != nil else { return post(number) }
    if setup.ends { history.leaveOpen(number) }
    queues[number].suspend()
    submit(number)
    queues[number].resume()
  }

  /// The ledger balances at any moment, and has what was accepted before.
  func readLedger() {
    for (number, dispatcher) in dispatchers.enumerated() {
      let least = history.acceptedCount(of: number)
      let ledger = dispatcher.ledger
      scene.check(ledger.balances, "rule 2: the ledger does not balance: \(ledger)")
      scene.check(
        ledger.accepted >= least, "rule 2: of \(least) accepted, the ledger misses some: \(ledger)")
    }
  }
}

extension Call {
  /// Whether it may block its thread until a body has run.
  fileprivate var isWaiting: Bool {
    switch self {
    case .sync, .syncAsBarrier, .waitForHandle, .waitForOther, .waitForGroup, .waitForShared: true
    default: false
    }
  }
}

extension Duration {
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
