import Glibc
import Histogram
import Oracle
import TaskDispatch
import TaskDispatchTesting
import UVDispatch

/// One dispatcher under load, with everything that checks it.
final class World: @unchecked Sendable {
  let plan: Plan
  let dispatcher: any EventDispatcher
  /// The foreground, the background, and views.
  let queues: [TaskQueue]
  let checkers: [QueueChecker]
  let violations: ViolationLog
  let totals = Totals()
  let timerChecker: TimerChecker
  let limitCheckers: [LimitChecker]
  /// Set where everything on a queue of width 1 is reported to it; nil elsewhere.
  let bandChecker: BandChecker?
  /// Raised before the shutdown: producers stop, and the dispatcher may refuse.
  let isOver = Switch()
  let latency: Latency
  /// One bell for each thread, which waits for one ticket at a time.
  private let bells: [Bell]
  /// Swift Tasks that have not ended.
  let pendingAsync = Count()
  /// Bodies that are meant to outlive the shutdown.
  let stuck = Count()
  let isExact: Bool
  let actors: [Clerk]
  /// Told of what bodies submit. Set if they run on the thread that submits everything.
  var onChild: ((Ticket) -> Void)?
  /// Whether the shutdown comes in the middle of the load, with short deadlines.
  let isCutShort: Bool
  /// The handlers of signals and descriptors, in the mix that has them; else nil.
  private(set) var events: EventLoad?
  let loopThread = Number()

  static let viewWidths = [1, 2, 3]

  init(_ plan: Plan, round: Int, violations: ViolationLog, latency: Latency) throws {
    self.plan = plan
    self.violations = violations
    isCutShort = plan.mix.isCutShort(inRound: round)
    self.latency = latency
    let overflow = Self.overflow(of: plan, round: round)
    let agingStep = Duration.microseconds(plan.mix == .priority ? 500 : 100_000)
    // Every other dispatcher of this mix has a background of width 1, whose order can be checked.
    let checksBands = plan.mix == .priority && (plan.width ?? 1) == 1 && round % 2 == 0
    let width = checksBands ? 1 : plan.width
    let backgroundWidth: Int
    switch plan.backend {
    case .uv:
      let dispatcher = try UVDispatcher(
        .init(
          label: "stress", backgroundWidth: width, overflow: overflow, agingStep: agingStep,
          stallThresholds: StallThresholds(.milliseconds(5))))
      backgroundWidth = dispatcher.effectiveBackgroundWidth
      self.dispatcher = dispatcher
    case .fake:
      backgroundWidth = width ?? 3
      dispatcher = RecordingDispatcher(
        .init(
          width: backgroundWidth, leftovers: .ignore, thrownErrors: .ignore, overflow: overflow,
          agingStep: agingStep, recordsHistory: false))
    }
    let dispatcher = dispatcher
    let views = Self.viewWidths.map { dispatcher.makeQueue(label: "view \($0)", width: $0) }
    queues = [dispatcher.foreground, dispatcher.background] + views
    let widths = [1, backgroundWidth] + Self.viewWidths
    let names = queues.map(\.label)
    violations.nameQueues(names + ["a neighbour"])
    checkers = widths.indices.map {
      QueueChecker(index: $0, name: names[$0], width: widths[$0], violations: violations)
    }
    timerChecker = TimerChecker(violations: violations)
    limitCheckers =
      overflow.limit.map { limit in
        widths.map { LimitChecker(limit: limit, width: $0, violations: violations) }
      } ?? []
    bandChecker =
      checksBands && plan.backend == .uv
      ? BandChecker(agingStep: Int64(agingStep / .nanoseconds(1)), violations: violations) : nil
    bells = (0..<ThreadRecorder.most).map { _ in Bell() }
    isExact = !plan.mix.weights.contains {
      [.run, .actor, .taskGroup, .sleep, .flush].contains($0.operation)
    }
    actors = plan.backend == .uv ? [queues[0], queues[2]].map { Clerk(on: $0) } : []
    if plan.mix == .events {
      // Two rounds of three have such threads. In the others each call is accounted for, and bodies may
      // be abandoned.
      events = EventLoad(self, hasOutsiders: round % 3 != 0)
    }
  }

  private static func overflow(of plan: Plan, round: Int) -> Overflow {
    guard plan.mix == .overflow else { return .unbounded }
    switch round % 3 {
    case 0: return .reject(limit: 64)
    case 1: return .blockCaller(limit: 32, timeout: .milliseconds(1))
    default:
      // Without a time-out the fake's one thread would wait for itself.
      return plan.backend == .fake
        ? .reject(limit: 8) : .blockCaller(limit: 16, timeout: nil)
    }
  }

  /// Whether bodies may outlive the shutdown. Not if handlers may be cancelled by other threads: then
  /// the number of calls in the ledger is not known, and so neither is when the last of them has ended.
  var mayAbandon: Bool { events?.hasOutsiders != true }

  /// Registers the handlers that stay from beginning to end, before any thread raises a signal.
  func registerHandlers(_ dice: inout Dice) {
    guard let events else { return }
    events.add(self)
    for _ in 0..<6 { events.listen(at: self, seed: dice.next(), isResident: true) }
    for _ in 0..<4 { events.open(at: self, seed: dice.next()) }
  }

  /// Nanoseconds of the dispatcher's own time, which is virtual in the fake.
  func now() -> Int64 { dispatcher.now.nanoseconds }

  // MARK: Waiting for a ticket

  /// Returns at once if `ticket` has ended, else soon after it ends, or after a millisecond.
  func waitBriefly(for ticket: Ticket) {
    let bell = bells[ThreadRecorder.current.index]
    bell.gate.close()
    bell.number.set(ticket.number)
    if !ticket.isFinal { bell.gate.wait(seconds: 0.001) }
    bell.number.set(0)
  }

  func ring(for ticket: Ticket) {
    let bell = bells[ticket.stream]
    if bell.number.value == ticket.number { bell.gate.open() }
  }
}

extension Overflow {
  var limit: Int? {
    switch self {
    case .unbounded: nil
    case .reject(let limit), .blockCaller(let limit, _): limit
    }
  }
}

/// A flag that is never lowered once it was raised.
final class Switch: Sendable {
  private let value = Number()
  func raise() { value.set(1) }
  var isRaised: Bool { value.value != 0 }
}

private final class Bell: Sendable {
  let number = Number()
  let gate = Gate()
}
