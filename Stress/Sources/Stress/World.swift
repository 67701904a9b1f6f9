import Glibc
import Histogram
import Oracle
import TaskDispatch
import TaskDispatchTesting
import UVDispatch

/// One dispatcher under load, and everybody who watches it.
final class World: @unchecked Sendable {
  let plan: Plan
  let dispatcher: any EventDispatcher
  /// The foreground, the background, and views.
  let queues: [TaskQueue]
  let judges: [QueueJudge]
  let court: Court
  let totals = Totals()
  let timerJudge: TimerJudge
  let limitJudges: [LimitJudge]
  /// Where everything that a queue of width 1 has passes through it; nil elsewhere.
  let bandJudge: BandJudge?
  /// Nobody submits any more.
  let isOver = Switch()
  let latency: Latency
  /// Waiters for one ticket each, by thread.
  private let bells: [Bell]
  /// Tasks of Swift's that have not ended.
  let pendingAsync = Count()
  /// Bodies that are meant to outlive the shutdown.
  let stuck = Count()
  let isExact: Bool
  let actors: [Clerk]
  /// Told of what bodies submit, where they run on the thread that submits everything.
  var onChild: ((Ticket) -> Void)?
  /// Whether its shutdown comes in the middle of the load, with short deadlines.
  let isCutShort: Bool
  /// Where there are handlers of signals and descriptors; else nil.
  private(set) var events: EventLoad?
  let loopThread = Number()

  static let viewWidths = [1, 2, 3]

  init(_ plan: Plan, round: Int, court: Court, latency: Latency) throws {
    self.plan = plan
    self.court = court
    isCutShort = plan.mix.isCutShort(inRound: round)
    self.latency = latency
    let overflow = Self.overflow(of: plan, round: round)
    let agingStep = Duration.microseconds(plan.mix == .priority ? 500 : 100_000)
    // Every other dispatcher of this mix has a background of width 1, whose order can be judged.
    let judgesBands = plan.mix == .priority && (plan.width ?? 1) == 1 && round % 2 == 0
    let width = judgesBands ? 1 : plan.width
    let backgroundWidth: Int
    switch plan.backend {
    case .uv:
      let dispatcher = try UVDispatcher(
        .init(
          label: "stress", backgroundWidth: width, overflow: overflow, agingStep: agingStep))
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
    court.nameQueues(names + ["a neighbour"])
    judges = widths.indices.map {
      QueueJudge(index: $0, name: names[$0], width: widths[$0], court: court)
    }
    timerJudge = TimerJudge(court: court)
    limitJudges =
      overflow.limit.map { limit in
        widths.map { LimitJudge(limit: limit, width: $0, court: court) }
      } ?? []
    bandJudge =
      judgesBands && plan.backend == .uv
      ? BandJudge(agingStep: Int64(agingStep / .nanoseconds(1)), court: court) : nil
    bells = (0..<Hand.most).map { _ in Bell() }
    isExact = !plan.mix.weights.contains {
      [.run, .actor, .taskGroup, .sleep, .flush].contains($0.operation)
    }
    actors = plan.backend == .uv ? [queues[0], queues[2]].map { Clerk(on: $0) } : []
    if plan.mix == .events {
      // Two of three: in the others each call is accounted for, and bodies may be abandoned.
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

  /// Whether bodies may outlive the shutdown: who does not know how many calls the ledger has does not
  /// know when the last of them has ended.
  var mayAbandon: Bool { events?.hasOutsiders != true }

  /// Registers what is there from beginning to end, before anybody raises a signal.
  func registerHandlers(_ dice: inout Dice) {
    guard let events else { return }
    events.add(self)
    for _ in 0..<6 { events.listen(at: self, seed: dice.next(), isResident: true) }
    for _ in 0..<4 { events.open(at: self, seed: dice.next()) }
  }

  /// Nanoseconds of the dispatcher's own time, which on the fake is virtual.
  func now() -> Int64 { dispatcher.now.nanoseconds }

  // MARK: Waiting for a ticket

  /// Comes back at once if it is over, else soon after it is, or after a millisecond.
  func waitBriefly(for ticket: Ticket) {
    let bell = bells[Hand.current.index]
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

/// Something that is so from some time on.
final class Switch: Sendable {
  private let value = Number()
  func raise() { value.set(1) }
  var isRaised: Bool { value.value != 0 }
}

private final class Bell: Sendable {
  let number = Number()
  let gate = Gate()
}
