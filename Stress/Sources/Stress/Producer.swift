import Oracle
import Synchronization
import TaskDispatch

/// Submits from one thread, one operation after the other, with a bounded number of submissions open.
final class Producer {
  struct Open {
    let ticket: Ticket
    let handle: Handle
    let called: Int64
  }

  enum Handle {
    case none
    case task(TaskHandle<Int>)
    case timer(TimerHandle)
  }

  let world: World
  let number: Int
  var dice: Dice
  /// The submissions that are open, oldest first.
  private(set) var open: [Open] = []
  private var first = 0
  /// Timers that repeat until they are cancelled. There are few, since each is work for ever.
  private var repeating: [(ticket: Ticket, timer: TimerHandle)] = []
  /// Repeating timers that were cancelled in their bodies.
  private var ending: [(ticket: Ticket, timer: TimerHandle)] = []
  private let grammar: [Mix.Operation]
  /// When the oldest open submission was made; 0 if none is open. The monitor reads it.
  let oldest = Number()
  /// The number of that submission.
  let oldestNumber = Number()
  /// When the current operation began; 0 between two operations.
  let actsSince = Number()
  /// The band that only this producer submits to, if bands are checked.
  let ownBand: Int?

  init(_ world: World, number: Int, seed: UInt64) {
    self.world = world
    self.number = number
    dice = Dice(seed: seed)
    let isThreadless = world.plan.backend == .fake
    grammar = world.plan.mix.weights.flatMap { entry in
      isThreadless && entry.operation.needsThreads
        ? [] : [Mix.Operation](repeating: entry.operation, count: entry.weight)
    }
    ownBand = world.bandChecker == nil ? nil : number
  }

  var openCount: Int { open.count - first }
  var hasRoom: Bool { openCount < world.plan.mix.window }

  /// Whether the producer submits. If bands are checked, each band has only one thread that submits to
  /// it.
  var isNeeded: Bool { world.bandChecker == nil || number < 4 }

  /// Performs one operation.
  func act() {
    actsSince.set(UInt64(monotonicNanoseconds()))
    perform(grammar[dice.roll(grammar.count)])
    actsSince.set(0)
  }

  func keep(_ ticket: Ticket, _ handle: Handle = .none) {
    if openCount == 0 { oldest.set(UInt64(monotonicNanoseconds())) }
    open.append(Open(ticket: ticket, handle: handle, called: monotonicNanoseconds()))
  }

  var mayRepeat: Bool { repeating.count < 4 }

  func keep(_ ticket: Ticket, repeating timer: TimerHandle) { repeating.append((ticket, timer)) }

  // MARK: What has ended

  /// Closes the submissions that have ended, oldest first.
  func closeWhatIsOver() {
    while first < open.count, isOver(open[first]) { first += 1 }
    endRepeating { $0.runs.load(ordering: .relaxed) >= 3 || world.isOver.isRaised }
    closeEnding()
    if first > 1024 || first == open.count {
      open.removeFirst(first)
      first = 0
    }
    oldest.set(openCount == 0 ? 0 : UInt64(open[first].called))
    oldestNumber.set(openCount == 0 ? 0 : open[first].ticket.number)
  }

  /// Waits until the loop and the workers have made room. A shutdown ends the wait, since it ends what
  /// would make room.
  func makeRoom() {
    if hasRoom { return }
    closeWhatIsOver()
    // Waits until half of the window is free: one wake-up for each submission would cost more than all
    // the rest.
    while openCount > world.plan.mix.window / 2, !world.isOver.isRaised {
      world.waitBriefly(for: open[first + openCount / 2].ticket)
      closeWhatIsOver()
    }
  }

  /// What the producer waits for, for people. Other threads read it, so it may be a little wrong.
  var state: String {
    let since = oldest.value
    let age = since == 0 ? "" : ", for \((monotonicNanoseconds() - Int64(since)) / 1_000_000) ms"
    return "waits for \(oldestNumber.value >> 40).\(oldestNumber.value & 0xff_ffff_ffff)\(age)"
  }

  /// Waits until no submission is open. The monitor ends the process if that takes too long.
  func closeAll() {
    endRepeating { _ in true }
    closeWhatIsOver()
    while openCount > 0 || !ending.isEmpty {
      world.waitBriefly(for: openCount > 0 ? open[first].ticket : ending[0].ticket)
      closeWhatIsOver()
    }
  }

  /// Closes everything after the report of a shutdown, and after the last body that the shutdown left
  /// running.
  func closeAfterReport() {
    for entry in open[first...] {
      if isOver(entry) { continue }
      switch entry.handle {
      case .none:
        world.checkers[entry.ticket.queue].cancelledByShutdown(entry.ticket)
        world.totals.cancelled.add()
      case .task, .timer:
        world.violations.report(.shutdown, entry.ticket, "has no outcome after the report")
      }
    }
    open = []
    first = 0
    oldest.set(0)
    endRepeating { _ in true }
    ending = []
  }

  private func isOver(_ entry: Open) -> Bool {
    let checker = world.checkers[entry.ticket.queue]
    switch entry.handle {
    case .none:
      guard entry.ticket.isFinal else { return false }
      if entry.ticket.hasRun { checker.expectRun(of: entry.ticket) }
      return true
    case .task(let handle):
      guard let outcome = handle.outcomeIfFinished else { return false }
      return reconcile(entry.ticket, outcome)
    case .timer(let handle):
      guard let outcome = handle.outcomeIfFinished else { return false }
      return reconcile(entry.ticket, outcome)
    }
  }

  /// Compares the outcome that the dispatcher tells with what the body saw. False if the submission has
  /// not ended.
  private func reconcile(_ ticket: Ticket, _ outcome: Outcome) -> Bool {
    let checker = world.checkers[ticket.queue]
    switch outcome {
    case .completed, .failed:
      guard ticket.hasRun else {
        world.violations.report(.once, ticket, "is said to be \(outcome), and its body did not end")
        return true
      }
      checker.expectRun(of: ticket)
    case .cancelled:
      if !ticket.isFinal {
        // This producer did not cancel it, so a shutdown did.
        if !world.isOver.isRaised {
          world.violations.report(.cancel, ticket, "was cancelled, and no code asked for it")
        }
        checker.cancelledByShutdown(ticket)
        world.totals.cancelled.add()
      } else if ticket.hasRun {
        world.violations.report(.cancel, ticket, "is said to be cancelled, and ran")
      }
    case .expired:
      checker.expired(ticket)
      world.totals.expired.add()
    case .refused: break
    case .abandoned:
      // Its body goes on, and ends some time.
      guard ticket.hasRun else { return false }
      checker.expectRun(of: ticket)
    }
    return true
  }

  private func endRepeating(where isWanted: (Ticket) -> Bool) {
    repeating.removeAll { ticket, timer in
      guard isWanted(ticket) else { return false }
      let answer = timer.cancel()
      world.totals.cancelRequests.add()
      world.totals.cancelled.add()
      if answer == .beforeStart { world.checkers[ticket.queue].cancelledRepeating(ticket) }
      if answer == .requested {
        ending.append((ticket, timer))
      } else {
        expectCancelled(ticket, timer, "repeats, was cancelled (\(answer))")
      }
      return true
    }
  }

  /// A timer that was cancelled in its body has no outcome before that body has ended.
  private func closeEnding() {
    ending.removeAll { ticket, timer in
      guard timer.outcomeIfFinished != nil else { return false }
      expectCancelled(ticket, timer, "repeats, was cancelled in its body")
      return true
    }
  }

  private func expectCancelled(_ ticket: Ticket, _ timer: TimerHandle, _ what: String) {
    // If a shutdown ended the timer, its outcome may be told a moment later.
    guard !world.isOver.isRaised else { return }
    let outcome = timer.outcomeIfFinished
    guard outcome != .cancelled else { return }
    world.violations.report(.cancel, ticket, "\(what), and its outcome is \(outcome as Any)")
  }
}
