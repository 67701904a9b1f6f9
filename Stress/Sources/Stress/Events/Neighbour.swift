import Oracle
import TaskDispatch
import UVDispatch

/// Another dispatcher in the same process, which lives for some milliseconds beside the one under load
/// and waits for the same signals.
final class Neighbour: EventHost {
  let uv: UVDispatcher
  var dispatcher: any EventDispatcher { uv }
  let court: Court
  let isOver = Switch()
  let loopThread = Number()
  private let judge: QueueJudge
  private let load: EventLoad
  private let followers: [Follower]
  private let loop: OwnThread?

  /// - Parameter index: Of its foreground, where people are told of it.
  init(_ world: World, _ load: EventLoad, index: Int, seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let uv = try UVDispatcher(.init(label: "neighbour"))
    self.uv = uv
    self.load = load
    judge = QueueJudge(index: index, name: "a neighbour", width: 1, court: world.court)
    let startsFirst = dice.once(in: 2)
    loop = dice.once(in: 2) ? nil : OwnThread { uv.run() }
    if loop == nil, startsFirst { try uv.start() }
    let court = world.court
    self.court = court
    followers = (0..<3).map { Follower(of: uv, court, number: $0, &dice) }
    load.add(self)
    for _ in 0..<3 { load.listen(at: self, seed: dice.next(), isResident: true) }
    for _ in 0..<2 { load.open(at: self, seed: dice.next()) }
    if loop == nil, !startsFirst { try uv.start() }
    _ = postHere { self.loopThread.noteThisThread() }
  }

  /// Is told of its end, sometimes with time to do everything, and has its books looked at.
  func end(_ dice: inout Dice) {
    let isCalm = dice.once(in: 2)
    let least = isCalm ? EventLoad.least : nil
    isOver.raise()
    let policy =
      isCalm
      ? ShutdownPolicy(drain: .seconds(1_000), cancel: .zero)
      : ShutdownPolicy(
        drain: .microseconds(dice.roll(2) * dice.roll(2_000)),
        cancel: .microseconds(dice.roll(2) * dice.roll(1_000)))
    switch dice.roll(3) {
    case 0: uv.beginShutdown(policy)
    case 1: uv.foreground { [uv] in uv.beginShutdown(policy) }
    default: Task { [uv] in await uv.shutdown(policy) }
    }
    let look = Gate()
    while uv.report == nil { look.wait(seconds: 0.000_1) }
    load.end(self, least: least)
    _ = loop?.join(seconds: 1e6)
    for follower in followers { follower.waitForEnd() }
    if let least { for follower in followers { follower.judgeEnd(least) } }
  }

  /// Cancels a Task that awaits a signal.
  func cancelFollower() { followers[1].cancel() }

  @discardableResult
  func postHere(_ body: @escaping @Sendable () -> Void) -> Bool {
    let ticket = judge.issue(.posted, isCertain: false, seed: 0, at: monotonicNanoseconds())
    let admission = uv.foreground { [judge] in
      guard judge.begin(ticket, at: monotonicNanoseconds()) else { return }
      body()
      judge.finish(ticket)
    }
    if admission == .accepted {
      judge.returned(ticket, at: monotonicNanoseconds())
      return true
    }
    judge.refused(ticket)
    if !isOver.isRaised { court.report(.once, ticket, "was refused: \(admission)") }
    return false
  }

  func watchCall(_ body: @escaping @Sendable () -> Void) {
    let now = monotonicNanoseconds()
    let ticket = judge.issue(.event, isCertain: false, seed: 0, at: now)
    judge.begin(ticket, at: now)
    body()
    judge.finish(ticket)
  }

  func mayHideCall() {}
}
