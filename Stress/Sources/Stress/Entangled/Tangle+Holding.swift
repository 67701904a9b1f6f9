import Oracle
import TaskDispatch

extension Tangle {
  // MARK: Cancelling

  func cancel(_ dice: inout Dice) {
    guard let kept = shelf.look(at: dice.roll(1 << 20)) else { return }
    cancel(kept)
  }

  private func cancel(_ kept: Shelf.Kept) {
    let (ticket, mark) = (kept.ticket, kept.mark)
    totals.cancelRequests.add()
    let answer = call("cancelling #\(mark)") { kept.cancel() }
    switch answer {
    case .beforeStart:
      checkers[ticket.queue].heard(.cancelled, of: ticket)
      totals.cancelled.add()
      live.add(-1)
    case .requested, .tooLate: starts.saidStarted(ticket, at: now())
    }
  }

  // MARK: Suspending

  func suspend(_ dice: inout Dice) {
    let queue = anyView(&dice)
    let length = Int64(20_000 + dice.roll(800_000))
    guard maySuspend(queue) else { return }
    let view = queues[queue]
    call("suspending \(view)") { view.suspend() }
    checkers[queue].suspended()
    starts.suspended(queue, at: now())
    totals.suspensions.add()
    janitors.promise("resuming \(view)", in: length) { [self] in
      checkers[queue].resumes()
      starts.resumes(queue)
      outside(.thread) { call("resuming \(view)") { view.resume() } }
      hasResumed(queue)
    }
  }

  // MARK: Groups

  func takeGroup(_ dice: inout Dice) -> WorkGroup {
    let place = dice.roll(4)
    // The former group is released outside the lock. A handler may still be released after the report.
    let (group, former) = groups.withLock { groups -> (WorkGroup, Circle?) in
      guard place < groups.count else { return (WorkGroup(), nil) }
      let former = groups[place]
      if former.uses >= 12 { groups[place] = Circle() }
      groups[place].uses += 1
      return (groups[place].group, former)
    }
    withExtendedLifetime(former) {}
    return group
  }

  func enter(_ dice: inout Dice) {
    let group = takeGroup(&dice)
    let length = Int64(20_000 + dice.roll(800_000))
    group.enter()
    janitors.promise("leaving a group", in: length) { [self] in
      outside(.thread) { call("leaving a group") { group.leave() } }
    }
  }

  func whenEmpty(_ dice: inout Dice, _ generation: Int) {
    let group = takeGroup(&dice)
    let seed = dice.next()
    let isCalled = Locked(false)
    owedCalls.add()
    call("asking to be told of a group") {
      group.whenEmpty { [self, captured = token(.closure, nil, 0, &dice, generation)] in
        captured.touch()
        let isFirst = isCalled.withLock { isCalled in
          defer { isCalled = true }
          return !isCalled
        }
        if !isFirst { violations.report(.once, nil, "a group has told one observer twice") }
        callback(.whenEmpty, 0) { act(seed, generation: generation + 1) }
        owedCalls.add(-1)
      }
    }
  }

  func notify(_ dice: inout Dice, _ generation: Int) {
    let queue = anyQueue(&dice)
    let group = takeGroup(&dice)
    let (ticket, mark) = issue(.notification, on: queue)
    let seed = dice.next()
    let target = queues[queue]
    let admission = call("notification #\(mark)") {
      group.notify(on: target, fileID: Self.file, line: UInt(mark)) {
        [self, captured = token(.closure, ticket, mark, &dice, generation)] in
        captured.touch()
        body(ticket, mark) { act(seed, generation: generation + 1) }
      }
    }
    settle(ticket, admission)
  }
}
