import Oracle
import TaskDispatch
import UVDispatch

/// Another dispatcher in the same process. It lives for some milliseconds beside the one under load,
/// and waits for the same signals.
final class Neighbour: EventHost {
  let uv: UVDispatcher
  var dispatcher: any EventDispatcher { uv }
  let violations: ViolationLog
  let isOver = Switch()
  let loopThread = Number()
  private let checker: QueueChecker
  private let load: EventLoad
  private let followers: [Follower]
  private let loop: OwnThread?

  /// - Parameter index: The number of its foreground in messages.
  init(_ world: World, _ load: EventLoad, index: Int, seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let uv = try UVDispatcher(.init(label: "neighbour"))
    self.uv = uv
    self.load = load
    checker = QueueChecker(
      index: index, name: "a neighbour", width: 1, violations: world.violations)
    let startsFirst = dice.once(in: 2)
    loop = dice.once(in: 2) ? nil : OwnThread { uv.run() }
    if loop == nil, startsFirst { try uv.start() }
    let violations = world.violations
    self.violations = violations
    followers = (0..<3).map { Follower(of: uv, violations, number: $0, &dice) }
    load.add(self)
    for _ in 0..<3 { load.listen(at: self, seed: dice.next(), isResident: true) }
    for _ in 0..<2 { load.open(at: self, seed: dice.next()) }
    if loop == nil, !startsFirst { try uv.start() }
    _ = postHere { self.loopThread.noteThisThread() }
  }

  /// Shuts the dispatcher down, sometimes with time to do everything, and checks its books.
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
    if let least { for follower in followers { follower.checkEnd(least) } }
  }

  /// Cancels a Task that awaits a signal.
  func cancelFollower() { followers[1].cancel() }

  @discardableResult
  func postHere(_ body: @escaping @Sendable () -> Void) -> Bool {
    let ticket = checker.issue(.posted, isCertain: false, seed: 0, at: monotonicNanoseconds())
    let admission = uv.foreground { [checker] in
      guard checker.begin(ticket, at: monotonicNanoseconds()) else { return }
      body()
      checker.finish(ticket)
    }
    if admission == .accepted {
      checker.returned(ticket, at: monotonicNanoseconds())
      return true
    }
    checker.refused(ticket)
    if !isOver.isRaised { violations.report(.once, ticket, "was refused: \(admission)") }
    return false
  }

  func watchCall(_ body: @escaping @Sendable () -> Void) {
    let now = monotonicNanoseconds()
    let ticket = checker.issue(.event, isCertain: false, seed: 0, at: now)
    checker.begin(ticket, at: now)
    body()
    checker.finish(ticket)
  }

  func mayHideCall() {}
}
