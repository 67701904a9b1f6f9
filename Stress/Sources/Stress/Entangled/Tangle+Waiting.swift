import Oracle
import TaskDispatch

extension Tangle {
  /// Whether the calling thread is in no task and in no callback. Then nothing can wait for it, and
  /// none of its waits can be refused.
  private var isAlone: Bool {
    let places = ThreadRecorder.current.stand.places
    return places.count == 1 && places[0].kind == .thread && !isInSteps
  }

  func waitForHandle(_ dice: inout Dice, _ timeout: Duration?) {
    guard let (kept, handle) = shelf.task(at: dice.roll(1 << 20)) else { return }
    totals.waits.add()
    let began = dispatcher.now.nanoseconds
    do {
      let limit = timeout.map { " for \($0)" } ?? ""
      let outcome = try call("waiting for #\(kept.mark) on \(queues[kept.ticket.queue])\(limit)") {
        try handle.wait(timeout: timeout)
      }
      heard(outcome, kept.ticket)
    } catch {
      turnedAway(error, timeout, since: began, kept.ticket)
    }
  }

  func waitForGroup(_ dice: inout Dice, _ timeout: Duration?) {
    let group = takeGroup(&dice)
    // A wait outside any task takes real time, and no other thread could end it here.
    if isInSteps, look().task == 0 { return }
    totals.waits.add()
    let began = dispatcher.now.nanoseconds
    do {
      let limit = timeout.map { " for \($0)" } ?? ""
      try call("waiting for a group of \(group.count)\(limit)") { try group.wait(timeout: timeout) }
    } catch {
      turnedAway(error, timeout, since: began, nil)
    }
  }

  /// Checks what a wait threw.
  private func turnedAway(
    _ error: any Error, _ timeout: Duration?, since: Int64, _ ticket: Ticket?
  ) {
    switch error {
    case WaitRefusal.timedOut where timeout != nil:
      totals.timedOut.add()
      if dispatcher.now.nanoseconds - since < Int64(timeout! / .nanoseconds(1)) {
        violations.report(
          .time, ticket,
          "a wait for \(timeout!) from \(since) ns came back early, at \(dispatcher.now)")
      }
    case WaitRefusal.wouldDeadlock(let chain) where !chain.isEmpty:
      totals.waitsRefused.add()
      if isAlone {
        violations.report(
          .deadlock, ticket, "a wait outside any task and callback was refused: \(error)")
      }
    case WaitRefusal.cannotBeOrdered where isInSteps, WaitRefusal.nothingCanEndIt where isInSteps:
      totals.waitsRefused.add()
    default: violations.report(.deadlock, ticket, "a wait threw \(error)")
    }
  }

  /// The calling thread was told how a task has ended.
  func heard(_ outcome: Outcome, _ ticket: Ticket) {
    let checker = checkers[ticket.queue]
    switch outcome {
    case .completed, .failed: checker.heard(.ran, of: ticket)
    case .cancelled: checker.heard(.cancelled, of: ticket)
    case .expired: checker.heard(.expired, of: ticket)
    case .abandoned: checker.heard(.abandoned, of: ticket)
    case .refused:
      if !ticket.wasRefused {
        violations.report(.once, ticket, "was accepted, and is said to be refused")
      }
    }
  }

  // MARK: Inside a queue

  func sync(_ dice: inout Dice, _ generation: Int) {
    let queue = anyQueue(&dice)
    let isBarrier = queue > 1 && dice.once(in: 5) && !leavesOut(.barriers)
    let (ticket, mark) = issue(.synced, on: queue, isBarrier: isBarrier)
    let seed = dice.next()
    let target = isBarrier ? queues[queue].barrier : queues[queue]
    let isAlone = isAlone
    let fails = dice.once(in: 6)
    totals.waits.add()
    live.add()
    do {
      try call("sync #\(mark) on \(target)") {
        try target.sync(fileID: Self.file, line: UInt(mark)) {
          try body(ticket, mark, queue == 0 ? .body : .synced, standsOnCaller: queue > 0) {
            act(seed, generation: generation + 1)
            if fails { throw mishap(mark, seed, generation) }
          }
        }
      }
      hasSynced(ticket)
    } catch is Mishap {
      hasSynced(ticket)
    } catch {
      live.add(-1)
      checkers[queue].refused(ticket)
      roll.turnedAway(mark)
      totals.turnedAway.add()
      totals.waitsRefused.add()
      switch error {
      case WaitRefusal.wouldDeadlock(let chain) where !chain.isEmpty:
        if isAlone {
          violations.report(
            .deadlock, ticket, "a sync outside any task and callback was refused: \(error)")
        }
      case WaitRefusal.refused(.shutDown) where isOver.isRaised: break
      case WaitRefusal.cannotBeOrdered where isInSteps, WaitRefusal.nothingCanEndIt where isInSteps:
        break
      default: violations.report(.deadlock, ticket, "sync threw \(error)")
      }
    }
  }

  private func hasSynced(_ ticket: Ticket) {
    checkers[ticket.queue].returned(ticket, at: dispatcher.now.nanoseconds)
    totals.accepted.add()
    if !ticket.hasRun { violations.report(.once, ticket, "sync returned without its body") }
  }
}
