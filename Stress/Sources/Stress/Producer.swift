import Oracle
import Synchronization
import TaskDispatch

/// Somebody who submits, one operation after the other, with a bounded number of them open.
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
  /// What is open, oldest first.
  private(set) var open: [Open] = []
  private var first = 0
  /// Timers that repeat until they are cancelled: few, since each is work for ever.
  private var repeating: [(ticket: Ticket, timer: TimerHandle)] = []
  /// Cancelled in their bodies.
  private var ending: [(ticket: Ticket, timer: TimerHandle)] = []
  private let grammar: [Mix.Operation]
  /// When what has been open longest was submitted; 0 for nothing: for the watchdog.
  let oldest = Number()
  /// What that is.
  let oldestNumber = Number()
  /// When it began what it is doing; 0 between.
  let actsSince = Number()
  /// The band that is this producer's alone, where bands are judged.
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
    ownBand = world.bandJudge == nil ? nil : number
  }

  var openCount: Int { open.count - first }
  var hasRoom: Bool { openCount < world.plan.mix.window }

  /// Where bands are judged, each has one thread that submits to it.
  var isNeeded: Bool { world.bandJudge == nil || number < 4 }

  /// Does one thing.
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

  /// Closes what is over, oldest first.
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

  /// Lets the loop and the workers get on until there is room. A shutdown ends what would make room.
  func makeRoom() {
    if hasRoom { return }
    closeWhatIsOver()
    // Half of it at once: to be woken for each would cost more than all the rest.
    while openCount > world.plan.mix.window / 2, !world.isOver.isRaised {
      world.waitBriefly(for: open[first + openCount / 2].ticket)
      closeWhatIsOver()
    }
  }

  /// Read from other threads, for people: it may be a little wrong.
  var state: String {
    let since = oldest.value
    let age = since == 0 ? "" : ", for \((monotonicNanoseconds() - Int64(since)) / 1_000_000) ms"
    return "waits for \(oldestNumber.value >> 40).\(oldestNumber.value & 0xff_ffff_ffff)\(age)"
  }

  /// Until nothing is open any more. The watchdog ends what does not end.
  func closeAll() {
    endRepeating { _ in true }
    closeWhatIsOver()
    while openCount > 0 || !ending.isEmpty {
      world.waitBriefly(for: openCount > 0 ? open[first].ticket : ending[0].ticket)
      closeWhatIsOver()
    }
  }

  /// After the report of a shutdown, and after the last body that it left running.
  func closeAfterReport() {
    for entry in open[first...] {
      if isOver(entry) { continue }
      switch entry.handle {
      case .none:
        world.judges[entry.ticket.queue].cancelledByShutdown(entry.ticket)
        world.totals.cancelled.add()
      case .task, .timer:
        world.court.report(.shutdown, entry.ticket, "has no outcome after the report")
      }
    }
    open = []
    first = 0
    oldest.set(0)
    endRepeating { _ in true }
    ending = []
  }

  private func isOver(_ entry: Open) -> Bool {
    let judge = world.judges[entry.ticket.queue]
    switch entry.handle {
    case .none:
      guard entry.ticket.isFinal else { return false }
      if entry.ticket.hasRun { judge.expectRun(of: entry.ticket) }
      return true
    case .task(let handle):
      guard let outcome = handle.outcomeIfFinished else { return false }
      return reconcile(entry.ticket, outcome)
    case .timer(let handle):
      guard let outcome = handle.outcomeIfFinished else { return false }
      return reconcile(entry.ticket, outcome)
    }
  }

  /// Holds the outcome that the dispatcher tells against what the body saw. False for what is not at
  /// its end.
  private func reconcile(_ ticket: Ticket, _ outcome: Outcome) -> Bool {
    let judge = world.judges[ticket.queue]
    switch outcome {
    case .completed, .failed:
      guard ticket.hasRun else {
        world.court.report(.once, ticket, "is said to be \(outcome), and its body did not end")
        return true
      }
      judge.expectRun(of: ticket)
    case .cancelled:
      if !ticket.isFinal {
        // Not by this producer: then by a shutdown.
        if !world.isOver.isRaised {
          world.court.report(.cancel, ticket, "was cancelled, and nobody asked for it")
        }
        judge.cancelledByShutdown(ticket)
        world.totals.cancelled.add()
      } else if ticket.hasRun {
        world.court.report(.cancel, ticket, "is said to be cancelled, and ran")
      }
    case .expired:
      judge.expired(ticket)
      world.totals.expired.add()
    case .refused: break
    case .abandoned:
      // Its body goes on, and ends some time.
      guard ticket.hasRun else { return false }
      judge.expectRun(of: ticket)
    }
    return true
  }

  private func endRepeating(where isWanted: (Ticket) -> Bool) {
    repeating.removeAll { ticket, timer in
      guard isWanted(ticket) else { return false }
      let answer = timer.cancel()
      world.totals.cancelRequests.add()
      world.totals.cancelled.add()
      if answer == .beforeStart { world.judges[ticket.queue].cancelledRepeating(ticket) }
      if answer == .requested {
        ending.append((ticket, timer))
      } else {
        expectCancelled(ticket, timer, "repeats, was cancelled (\(answer))")
      }
      return true
    }
  }

  /// One that was in its body when it was cancelled has no outcome before that has ended.
  private func closeEnding() {
    ending.removeAll { ticket, timer in
      guard timer.outcomeIfFinished != nil else { return false }
      expectCancelled(ticket, timer, "repeats, was cancelled in its body")
      return true
    }
  }

  private func expectCancelled(_ ticket: Ticket, _ timer: TimerHandle, _ what: String) {
    // Ended by a shutdown, it may be told of its outcome a moment later.
    guard !world.isOver.isRaised else { return }
    let outcome = timer.outcomeIfFinished
    guard outcome != .cancelled else { return }
    world.court.report(.cancel, ticket, "\(what), and its outcome is \(outcome as Any)")
  }
}
