import Oracle
import TaskDispatch

extension Producer {
  private var isTimeless: Bool { world.plan.backend == .fake }

  func perform(_ operation: Mix.Operation) {
    switch operation {
    case .foreground: post(on: 0)
    case .background: post(on: 1)
    case .view: post(on: anyView())
    case .banded: postBanded()
    case .family: post(on: anyQueue(), .children(1 + dice.roll(4)))
    case .ask: ask()
    case .handle: submit(on: anyQueue())
    case .throwing: submit(on: anyQueue(), .fails)
    case .expiring: submit(on: anyQueue(), timeToLive: .microseconds(dice.roll(3) * 200))
    case .cancelled: cancelSoon()
    case .wait: waitForHandle()
    case .timer: delay(.microseconds(dice.roll(3_000)))
    case .sharedTimer: delay(.microseconds((1 + dice.roll(3)) * 1_000), on: 0)
    case .cancelledTimer: cancelTimer()
    case .repeating: repeats()
    case .barrier: post(on: 1 + dice.roll(world.queues.count - 1), isBarrier: true)
    case .barrierSync: sync(on: 1 + dice.roll(world.queues.count - 1), isBarrier: true)
    case .sync: sync(on: isTimeless ? anyView() : anyQueue(), isBarrier: false)
    case .syncInside: post(on: anyQueue(), .sync(anyView()))
    case .suspend: suspend()
    case .group: group()
    case .slow: post(on: anyQueue(), .slow(Int64(20_000 + dice.roll(500_000))))
    case .run: callRun()
    case .actor: callActor()
    case .taskGroup: callTaskGroup()
    case .sleep: callSleep()
    case .flush: callFlush()
    case .raise, .raiseInside, .send, .listen, .unlisten, .open, .write, .watchAgain, .close,
      .closeBehind, .unhandled:
      perform(event: operation)
    }
  }

  private func anyQueue() -> Int { dice.roll(world.queues.count) }
  private func anyView() -> Int { 2 + dice.roll(world.queues.count - 2) }

  private func issue(
    _ form: Ticket.Form, on queue: Int, band: Int = 1, isBarrier: Bool = false,
    isCertain: Bool = true, delay: Duration? = nil
  ) -> Ticket {
    // The foreground has one band.
    world.checkers[queue].issue(
      form, band: queue == 0 ? 1 : band, isBarrier: isBarrier && queue != 0, isCertain: isCertain,
      delay: delay.map { Int64($0 / .nanoseconds(1)) }, seed: dice.next(), at: world.now())
  }

  private func target(_ queue: Int, _ isBarrier: Bool) -> TaskQueue {
    isBarrier ? world.queues[queue].barrier : world.queues[queue]
  }

  // MARK: Plain

  func post(on queue: Int, _ errand: Errand = .nothing, isBarrier: Bool = false) {
    let ticket = issue(.posted, on: queue, isBarrier: isBarrier)
    let world = world
    let target = target(queue, isBarrier)
    let admission = target { world.perform(ticket, errand) }
    if world.settle(ticket, admission) { keep(ticket) }
  }

  private func postBanded() {
    let isChecked = ownBand != nil
    let queue = isChecked ? 1 : 1 + dice.roll(world.queues.count - 1)
    let band = ownBand ?? dice.roll(4)
    // Each body takes about as long as its submission, so that tasks of all bands always wait.
    let errand = isChecked ? Errand.slow(2_000) : .nothing
    let ticket = issue(.posted, on: queue, band: band)
    let world = world
    world.bandChecker?.submits(ticket)
    let admission = world.queues[queue].async(
      priority: PriorityBand.allCases[band], label: isChecked ? nil : "banded"
    ) { world.perform(ticket, errand) }
    if world.settle(ticket, admission) { keep(ticket) }
  }

  private func ask() {
    let queue = anyQueue()
    let ticket = issue(.asked, on: queue)
    let world = world
    let seed = dice.next()
    let admission = world.queues[queue].async(
      { world.perform(ticket) },
      then: { _ in
        // The library submits the reply after the body, so it is counted when it begins.
        let reply = world.checkers[0].issue(.reply, isCertain: false, seed: seed, at: world.now())
        world.totals.replied.add()
        world.onChild?(reply)
        world.totals.accepted.add()
        world.perform(reply)
      })
    if world.settle(ticket, admission) {
      world.totals.asked.add()
      keep(ticket)
    }
  }

  // MARK: With a handle

  @discardableResult
  private func submit(on queue: Int, _ errand: Errand = .nothing, timeToLive: Duration? = nil)
    -> (Ticket, TaskHandle<Int>)?
  {
    let skips = dice.once(in: 8)
    let band = dice.roll(4)
    let ticket = issue(.handled, on: queue, band: band, isCertain: false)
    let world = world
    let fails = if case .fails = errand { true } else { false }
    let handle = world.queues[queue].submit(
      priority: PriorityBand.allCases[band], timeToLive: timeToLive,
      atShutdown: skips ? .skip : .drain
    ) {
      world.perform(ticket, errand)
      if fails { throw Failure() }
      return 1
    }
    guard settle(ticket, handle.outcomeIfFinished) else { return nil }
    keep(ticket, .task(handle))
    return (ticket, handle)
  }

  private func settle(_ ticket: Ticket, _ outcome: Outcome?) -> Bool {
    if case .refused(let refusal) = outcome { return world.settle(ticket, .refused(refusal)) }
    return world.settle(ticket, .accepted)
  }

  private func cancelSoon() {
    guard let (ticket, handle) = submit(on: anyQueue()) else { return }
    // The cancellation comes at once, or after some other submissions.
    for _ in 0..<dice.roll(3) { post(on: anyQueue()) }
    cancel(ticket) { handle.cancel() }
  }

  private func cancel(_ ticket: Ticket, _ call: () -> Cancellation) {
    let isLimited = !world.limitCheckers.isEmpty && ticket.countsAgainstLimit
    // Another thread's task may be accepted in its place before the call returns.
    if isLimited { world.limitCheckers[ticket.queue].leaves() }
    let answer = call()
    world.totals.cancelRequests.add()
    switch answer {
    case .beforeStart:
      world.checkers[ticket.queue].cancelledBeforeStart(ticket)
      world.totals.cancelled.add()
    case .requested, .tooLate:
      if isLimited { world.limitCheckers[ticket.queue].stays() }
    }
  }

  private func waitForHandle() {
    guard let (ticket, handle) = submit(on: anyQueue()) else { return }
    world.totals.waits.add()
    do {
      let outcome = try handle.wait()
      if outcome == .completed, !ticket.hasRun {
        world.violations.report(
          .once, ticket, "a wait was told \(outcome), and its body did not end")
      }
    } catch {
      world.violations.report(.deadlock, ticket, "a wait outside any task was refused: \(error)")
    }
  }

  // MARK: Timers

  @discardableResult
  private func delay(_ delay: Duration, on queue: Int? = nil) -> (Ticket, TimerHandle)? {
    let queue = queue ?? (dice.once(in: 2) ? 0 : anyQueue())
    // A timer with a delay of zero is a task.
    let isTimer = delay > .zero
    let ticket = issue(
      isTimer ? .timer : .handled, on: queue, isCertain: false,
      delay: isTimer ? delay : nil)
    let world = world
    let tolerance = dice.once(in: 4) ? Duration.microseconds(500) : .zero
    let handle = world.queues[queue].after(delay, tolerance: tolerance) { world.perform(ticket) }
    guard settle(ticket, handle.outcomeIfFinished) else { return nil }
    keep(ticket, .timer(handle))
    return (ticket, handle)
  }

  private func cancelTimer() {
    guard let (ticket, timer) = delay(.microseconds(dice.roll(2_000))) else { return }
    for _ in 0..<dice.roll(3) { post(on: anyQueue()) }
    cancel(ticket) { timer.cancel() }
  }

  private func repeats() {
    guard mayRepeat else { return post(on: anyQueue()) }
    let interval = Duration.microseconds(500 + dice.roll(2_000))
    let catchUp = CatchUp.allCases[dice.roll(4)]
    let queue = anyQueue()
    let ticket = issue(.repeating, on: queue, isCertain: false, delay: interval)
    let world = world
    let timer = world.queues[queue].every(interval, catchUp: catchUp) {
      world.perform(ticket, isRepeat: true)
    }
    if settle(ticket, timer.outcomeIfFinished) { keep(ticket, repeating: timer) }
  }

  // MARK: Waiting

  private func sync(on queue: Int, isBarrier: Bool) {
    let ticket = issue(.synced, on: queue, isBarrier: isBarrier)
    let world = world
    // Listed before the body that runs inside the call submits anything.
    keep(ticket)
    do {
      world.totals.waits.add()
      try target(queue, isBarrier).sync { world.perform(ticket) }
      world.checkers[queue].returned(ticket, at: world.now())
      world.totals.accepted.add()
      if !ticket.hasRun { world.violations.report(.once, ticket, "sync returned without its body") }
    } catch {
      world.turnAway(ticket, error)
    }
  }

  private func suspend() {
    let queue = anyView()
    let (view, checker) = (world.queues[queue], world.checkers[queue])
    view.suspend()
    checker.suspended()
    world.totals.suspensions.add()
    for _ in 0..<dice.roll(8) { post(on: dice.once(in: 2) ? queue : anyQueue()) }
    checker.resumes()
    view.resume()
  }

  private func group() {
    let group = WorkGroup()
    var members: [Ticket] = []
    let world = world
    for _ in 0...dice.roll(3) {
      let queue = anyQueue()
      let ticket = issue(.posted, on: queue)
      let admission = world.queues[queue].async(group: group) { world.perform(ticket) }
      if world.settle(ticket, admission) {
        keep(ticket)
        members.append(ticket)
      }
    }
    let last = issue(.notification, on: anyQueue(), isCertain: false)
    let expected = members
    let admission = group.notify(on: world.queues[last.queue]) {
      if let early = expected.first(where: { !$0.hasRun }), !world.isOver.isRaised {
        world.violations.report(.once, early, "had not ended when its group was told to be empty")
      }
      world.perform(last)
    }
    if world.settle(last, admission) { keep(last) }
  }
}
