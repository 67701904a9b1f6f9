import Oracle
import Synchronization
import TaskDispatch

extension Tangle {
  func anyQueue(_ dice: inout Dice) -> Int { dice.roll(open) }
  func anyView(_ dice: inout Dice) -> Int { 2 + dice.roll(open - 2) }

  /// Makes a ticket, and the mark under which it is submitted.
  func issue(
    _ form: Ticket.Form, on queue: Int, isBarrier: Bool = false, delay: Int64? = nil,
    mayVanish: Bool = false
  ) -> (Ticket, Int) {
    let ticket = checkers[queue].issue(
      form, isBarrier: isBarrier, isCertain: false, delay: delay, seed: 0,
      at: dispatcher.now.nanoseconds)
    // Code that the library calls inside the submission may `sync`, and so run the body itself.
    ThreadRecorder.current.submitting = nil
    return (ticket, roll.add(ticket, mayVanish: mayVanish))
  }

  /// Records the answer to a submission.
  @discardableResult
  func settle(_ ticket: Ticket, _ admission: Admission) -> Bool {
    switch admission {
    case .accepted:
      totals.accepted.add()
      if ticket.form != .repeating { live.add() }
      checkers[ticket.queue].returned(ticket, at: dispatcher.now.nanoseconds)
      return true
    case .refused(let reason):
      totals.refused.add()
      checkers[ticket.queue].refused(ticket)
      if reason != .shutDown || !isOver.isRaised {
        violations.report(.once, ticket, "was refused: \(reason)")
      }
      return false
    }
  }

  func settle(_ ticket: Ticket, _ outcome: Outcome?) -> Bool {
    if case .refused(let reason) = outcome { return settle(ticket, .refused(reason)) }
    return settle(ticket, .accepted)
  }

  func token(
    _ kind: Place.Kind, _ ticket: Ticket?, _ mark: Int, _ dice: inout Dice, _ generation: Int
  ) -> Token {
    Token(self, kind, ticket, mark: mark, seed: dice.next(), generation: generation)
  }

  /// - Parameters:
  ///   - reply: The reply that takes the error; nil if none does.
  ///   - asked: The queue of the body that makes the error for that reply.
  func mishap(
    _ mark: Int, _ seed: UInt64, _ generation: Int, to reply: Ticket? = nil, of asked: Int? = nil
  ) -> Mishap {
    Mishap(
      token: Token(
        self, reply == nil ? .result : .closure, reply, of: asked, mark: mark, seed: seed,
        generation: generation))
  }

  // MARK: Plain

  func post(
    _ dice: inout Dice, _ generation: Int, band: Int? = nil, isBarrier: Bool = false,
    group: WorkGroup? = nil
  ) {
    let queue = isBarrier ? anyView(&dice) : anyQueue(&dice)
    let (ticket, mark) = issue(.posted, on: queue, isBarrier: isBarrier)
    let seed = dice.next()
    let target = isBarrier ? queues[queue].barrier : queues[queue]
    let line = UInt(mark)
    // Each token is made inside its closure's capture list, so that no variable holds it too.
    let admission = call("submitting #\(mark)") {
      if let band {
        return target.async(
          priority: PriorityBand.allCases[band], group: group, fileID: Self.file,
          line: line
        ) { [self, captured = token(.closure, ticket, mark, &dice, generation)] in
          body(ticket, mark) { act(seed, generation: generation + 1) }
          captured.touch()
        }
      }
      if let group {
        return target.async(group: group, fileID: Self.file, line: line) {
          [self, captured = token(.closure, ticket, mark, &dice, generation)] in
          body(ticket, mark) { act(seed, generation: generation + 1) }
          captured.touch()
        }
      }
      return target(
        fileID: Self.file, line: line,
        body(of: ticket, mark, seed, generation, token(.captured, ticket, mark, &dice, generation)))
    }
    settle(ticket, admission)
  }

  /// The body of a plain submission. It is made here and not where it is submitted: there a variable
  /// would hold its captures until the submission has returned.
  @inline(never) private func body(
    of ticket: Ticket, _ mark: Int, _ seed: UInt64, _ generation: Int, _ captured: consuming Token
  ) -> @Sendable () -> Void {
    { [self, captured] in
      body(ticket, mark) { act(seed, generation: generation + 1) }
      captured.touch()
    }
  }

  // MARK: With a handle

  func submit(_ dice: inout Dice, _ generation: Int) {
    let queue = anyQueue(&dice)
    let expires = dice.once(in: 10)
    let (ticket, mark) = issue(.handled, on: queue, mayVanish: expires)
    let group = !leavesOut(.groups) && dice.once(in: 4) ? takeGroup(&dice) : nil
    let band = dice.roll(4)
    let timeToLive = expires ? Duration.microseconds(dice.roll(500)) : nil
    let fails = dice.once(in: 4)
    let isKept = !dice.once(in: 3)
    let (place, seed) = (dice.roll(1 << 20), dice.next())
    let skips = dice.once(in: 8)
    let resultSeed = dice.next()
    let target = queues[queue]
    call("submitting #\(mark) for a handle") {
      let handle = target.submit(
        priority: PriorityBand.allCases[band], group: group, timeToLive: timeToLive,
        atShutdown: skips ? .skip : .drain, fileID: Self.file, line: UInt(mark),
        body(
          of: ticket, mark, (seed, fails, resultSeed), generation,
          token(.captured, ticket, mark, &dice, generation)))
      guard settle(ticket, handle.outcomeIfFinished), isKept else { return }
      _ = shelf.put(.init(ticket: ticket, mark: mark, handle: .task(handle)), at: place)
    }
  }

  @inline(never) private func body(
    of ticket: Ticket, _ mark: Int, _ fate: (seed: UInt64, fails: Bool, resultSeed: UInt64),
    _ generation: Int, _ captured: consuming Token
  ) -> @Sendable () throws -> Token {
    { [self, captured] in
      captured.touch()
      try body(ticket, mark) {
        act(fate.seed, generation: generation + 1)
        if fate.fails { throw mishap(mark, fate.resultSeed, generation) }
      }
      return Token(
        self, .result, nil, mark: mark, seed: fate.resultSeed, generation: generation)
    }
  }

  // MARK: With a reply

  func ask(_ dice: inout Dice, _ generation: Int) {
    let queue = anyQueue(&dice)
    let (ticket, mark) = issue(.asked, on: queue)
    let (first, second) = (dice.next(), dice.next())
    let resultSeed = dice.next()
    let fails = dice.once(in: 6)
    let reply = checkers[0].issue(
      .reply, isCertain: false, seed: 0, at: dispatcher.now.nanoseconds)
    let target = queues[queue]
    let admission = call("submitting #\(mark) with a reply") {
      target.async(
        fileID: Self.file, line: UInt(mark),
        { [self, captured = token(.closure, ticket, mark, &dice, generation)] in
          captured.touch()
          defer { totals.asked.add() }
          try body(ticket, mark) {
            act(first, generation: generation + 1)
            if fails { throw mishap(mark, resultSeed, generation, to: reply, of: queue) }
          }
          return Token(
            self, .closure, reply, of: queue, mark: mark, seed: resultSeed, generation: generation)
        },
        then: { [self] _ in
          totals.replied.add()
          live.add()
          body(reply, mark) { act(second, generation: generation + 1) }
        })
    }
    settle(ticket, admission)
  }

  // MARK: Timers

  func later(_ dice: inout Dice, _ generation: Int) {
    let queue = anyQueue(&dice)
    let delay = Duration.microseconds(1 + dice.roll(3_000))
    let (ticket, mark) = issue(.timer, on: queue, delay: Int64(delay / .nanoseconds(1)))
    let (place, seed) = (dice.roll(1 << 20), dice.next())
    let isKept = dice.once(in: 2)
    let group = !leavesOut(.groups) && dice.once(in: 6) ? takeGroup(&dice) : nil
    let target = queues[queue]
    call("setting timer #\(mark)") {
      let timer = target.after(
        delay, group: group, fileID: Self.file, line: UInt(mark)
      ) { [self, captured = token(.closure, ticket, mark, &dice, generation)] in
        captured.touch()
        body(ticket, mark) { act(seed, generation: generation + 1) }
      }
      guard settle(ticket, timer.outcomeIfFinished), isKept else { return }
      _ = shelf.put(.init(ticket: ticket, mark: mark, handle: .timer(timer)), at: place)
    }
  }

  /// Starts a timer that repeats until a janitor cancels it.
  func again(_ dice: inout Dice, _ generation: Int) {
    guard !isExact, !isOver.isRaised else { return }
    let queue = anyQueue(&dice)
    let interval = Duration.microseconds(300 + dice.roll(2_000))
    let (ticket, mark) = issue(.repeating, on: queue, delay: Int64(interval / .nanoseconds(1)))
    let seed = dice.next()
    let catchUp = CatchUp.allCases[dice.roll(4)]
    let end = Int64(500_000 + dice.roll(5_000_000))
    let target = queues[queue]
    call("setting repeating timer #\(mark)") {
      let timer = target.every(
        interval, catchUp: catchUp, fileID: Self.file, line: UInt(mark)
      ) { [self, captured = token(.closure, ticket, mark, &dice, generation)] in
        captured.touch()
        body(ticket, mark, isRepeat: true) {
          act(
            Dice.mixed(seed ^ UInt64(ticket.runs.load(ordering: .relaxed))),
            generation: generation + 2)
        }
      }
      guard settle(ticket, timer.outcomeIfFinished) else { return }
      janitors.promise("cancelling repeating timer #\(mark)", in: end) { [self] in
        outside(.thread) {
          call("cancelling repeating timer #\(mark)") {
            if timer.cancel() == .beforeStart { checkers[queue].cancelledRepeating(ticket) }
          }
        }
      }
    }
  }
}
