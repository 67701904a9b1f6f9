import RandomTesting
import TaskDispatch
import TaskDispatchTesting
import TestSupport

extension RandomProgram {
  // MARK: Drafting

  func draft(
    _ form: Submission.Form, _ actor: inout Actor, on queue: Int, isBarrier: Bool = false,
    band: PriorityBand = .medium, _ change: (inout Submission) -> Void = { _ in }
  ) -> Slip {
    var submission = Submission(
      called: ticket(), form: form, queue: queue, band: queue == 0 ? .medium : band,
      isBarrier: isBarrier && queue != 0, parent: actor.parent?.number,
      thread: CurrentThread.id)
    change(&submission)
    let slip = Slip(submission, dice: actor.dice.split(), depth: actor.depth + 1)
    actor.slips.append(slip)
    return slip
  }

  func anyQueue(_ actor: inout Actor) -> Int {
    // The views are most worth testing.
    let roll = actor.dice.roll(2 + 2 * plan.views.count)
    return roll < 2 ? roll : 2 + (roll - 2) / 2
  }

  func target(of slip: Slip, _ isBarrier: Bool) -> TaskQueue {
    isBarrier ? queues[slip.queue].barrier : queues[slip.queue]
  }

  func noteReturn(_ slip: Slip, _ isAccepted: Bool?) {
    let returned = ticket()
    slip.note {
      $0.returned = returned
      $0.isAccepted = isAccepted
    }
  }

  // MARK: Submitting

  /// Posts one body for each worker and one for the loop. Each body holds its thread until half-time.
  func holdEveryThread(_ actor: inout Actor) {
    for queue in 0...plan.workers {
      let slip = draft(.posted, &actor, on: min(queue, 1))
      let admission = queues[slip.queue].async(line: UInt(slip.number)) { [self] in
        halfTime.hold(patience)
        perform(slip)
      }
      noteReturn(slip, admission.isAccepted)
    }
  }

  func post(_ actor: inout Actor) {
    let isBarrier = actor.dice.once(in: 7)
    let slip = draft(.posted, &actor, on: anyQueue(&actor), isBarrier: isBarrier)
    let admission = target(of: slip, isBarrier)(line: UInt(slip.number)) { [self] in
      perform(slip)
    }
    noteReturn(slip, admission.isAccepted)
  }

  func submit(_ actor: inout Actor) {
    let isBarrier = actor.dice.once(in: 7)
    let band = actor.dice.once(in: 2) ? .medium : PriorityBand.allCases[actor.dice.roll(4)]
    let timeToLive: Duration? = actor.dice.once(in: 6) ? .zero : nil
    let skips = actor.dice.once(in: 6)
    let slip = draft(.handled, &actor, on: anyQueue(&actor), isBarrier: isBarrier, band: band) {
      $0.timeToLive = timeToLive?.clampedNanoseconds
      $0.isSkippedAtShutdown = skips
      $0.label = "\($0.called)"
    }
    let handle = target(of: slip, isBarrier).submit(
      priority: band, label: "\(slip.number)", group: actor.dice.once(in: 3) ? group : nil,
      timeToLive: timeToLive, atShutdown: skips ? .skip : .drain, line: UInt(slip.number)
    ) { [self] in perform(slip) }
    var isRefused = false
    if case .refused = handle.outcomeIfFinished { isRefused = true }
    noteReturn(slip, !isRefused)
    slip.isHandled(
      by: .init(
        cancel: { handle.cancel() }, outcome: { handle.outcomeIfFinished },
        wait: { try handle.wait() }))
    if actor.dice.once(in: 2) { board.withLock { $0.append(slip) } }
  }

  /// A timer with an exact due time, which several timers may share.
  func delay(_ actor: inout Actor) {
    let now = dispatcher.now.nanoseconds
    let due = (now / 100_000 + Int64(actor.dice.roll(4))) * 100_000
    let slip = draft(.timer, &actor, on: anyQueue(&actor)) { $0.due = due }
    let item = WorkItem.make(
      kind: .timer, queue: queues[slip.queue], label: nil,
      site: CallSite(fileID: #fileID, line: UInt(slip.number)),
      due: DispatcherInstant(nanoseconds: due)
    ) { [self] in perform(slip) }
    noteReturn(slip, dispatcher.submit(item).isAccepted)
    let dispatcher = dispatcher
    slip.isHandled(by: .init(cancel: { dispatcher.cancel(item) }, outcome: { item.outcome }))
  }

  func `repeat`(_ actor: inout Actor) {
    // Longer than a run takes: a timer that cannot keep up would leave no time for other work.
    let interval = Duration.microseconds((400 + actor.dice.roll(500)) * (Self.isSanitized ? 50 : 1))
    let catchUp = CatchUp.allCases[actor.dice.roll(4)]
    let due = dispatcher.now.advanced(by: interval).nanoseconds
    let slip = draft(.repeating, &actor, on: anyQueue(&actor)) {
      $0.due = due
      $0.catchUp = catchUp
    }
    let timer = queues[slip.queue].every(interval, catchUp: catchUp, line: UInt(slip.number)) {
      [self] in perform(slip)
    }
    var isRefused = false
    if case .refused = timer.outcomeIfFinished { isRefused = true }
    noteReturn(slip, !isRefused)
    slip.isHandled(by: .init(cancel: { timer.cancel() }, outcome: { timer.outcomeIfFinished }))
  }

  func notify(_ actor: inout Actor) {
    let slip = draft(.notification, &actor, on: anyQueue(&actor))
    let admission = group.notify(on: queues[slip.queue], line: UInt(slip.number)) { [self] in
      perform(slip)
    }
    noteReturn(slip, admission.isAccepted)
  }

  /// Submits a body whose reply runs on the foreground.
  func askAndAnswer(_ actor: inout Actor) {
    let slip = draft(.asked, &actor, on: anyQueue(&actor))
    let reply = draft(.reply, &actor, on: 0)
    let admission = queues[slip.queue].async(
      line: UInt(slip.number), { [self] in perform(slip) }, then: { [self] _ in perform(reply) })
    noteReturn(slip, admission.isAccepted)
  }

  func cancel(_ actor: inout Actor) {
    let choice = actor.dice.roll(1 << 20)
    let slips = actor.dice.once(in: 2) ? actor.slips : board.withLock { $0 }
    guard !slips.isEmpty else { return }
    let slip = slips[choice % slips.count]
    guard let handle = slip.knownHandle else { return }
    let called = ticket()
    mark(.cancelling(slip.number))
    let answer = handle.cancel()
    mark(.cancelled(slip.number, answer))
    let returned = ticket()
    slip.note { $0.cancels.append(.init(called: called, returned: returned, answer: answer)) }
  }
}
