import TaskDispatch
import TaskDispatchTesting
import Testing

/// Documentation/IdleTimeout.md shows the type and the tests.
@Suite("A timeout that each request puts off")
struct IdleTimeoutRecipeTests {
  /// Calls `end` on the foreground once nothing has been asked for so long.
  final class IdleTimeout: Sendable {
    private let foreground: TaskQueue
    private let limit: Duration
    private let end: @Sendable () -> Void
    private let timer: Confined<TimerHandle?>

    init(
      _ limit: Duration, of dispatcher: any TaskDispatcher, end: @escaping @Sendable () -> Void
    ) {
      foreground = dispatcher.foreground
      self.limit = limit
      self.end = end
      timer = Confined(nil, to: dispatcher.foreground)
    }

    /// On the foreground, at the start and with each request.
    func putOff() {
      timer.withValue { timer in
        timer?.cancel()
        timer = foreground.after(limit, end)
      }
    }
  }

  @Test("ends after the limit, and each request puts that off")
  func putsOff() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let idle = IdleTimeout(.seconds(30), of: dispatcher) { log.note("idle") }
    dispatcher.foreground { idle.putOff() }
    dispatcher.foreground.after(.seconds(20)) { idle.putOff() }

    try dispatcher.advanceTime(by: .milliseconds(49_999))
    #expect(log.all == [])
    try dispatcher.advanceTime(by: .milliseconds(1))
    #expect(log.all == ["idle"])
    try dispatcher.finish()
  }

  @Test("a request that comes when the time is up is either served before the end, or too late")
  func racing() throws {
    let result = try explore { dispatcher in
      let log = Log()
      let idle = IdleTimeout(.seconds(30), of: dispatcher) { log.note("idle") }
      dispatcher.foreground { idle.putOff() }
      dispatcher.background.after(.seconds(30)) {
        dispatcher.foreground {
          log.note("request")
          idle.putOff()
        }
      }
      try dispatcher.advanceTime(by: .seconds(300))
      return log.all
    }

    try result.requireOutcomes([["idle", "request", "idle"], ["request", "idle"]])
  }
}
