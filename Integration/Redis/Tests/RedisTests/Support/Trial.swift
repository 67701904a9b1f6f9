import Redis
import Testing
import UVDispatch

/// All tests of this package, one at a time: the process has one pool, and tests that hold its threads
/// would wait for each other.
@Suite("hiredis on our loop", .serialized)
struct OnOurLoop {}

/// How long a test waits for what must happen. It takes that long only if something is broken.
let patience = Duration.seconds(300)

extension UVDispatcher {
  /// Runs `body` on the foreground, and the loop on the calling thread until the dispatcher has shut
  /// down. Expects that nothing is left then.
  @discardableResult
  func runToTheEnd(
    at location: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void
  ) -> ShutdownReport {
    foreground(body)
    foreground.after(patience) {
      Issue.record("no task has shut the dispatcher down", sourceLocation: location)
      self.beginShutdown(.init(drain: .zero, cancel: .zero))
    }
    let report = run()
    #expect(report.unfinished.prefix(3) == [], sourceLocation: location)
    #expect(report.ledger.balances, sourceLocation: location)
    return report
  }

  /// Runs `body` on the foreground once the loop has looked at its descriptors that often.
  ///
  /// For a dispatcher whose iteration runs one task: its loop looks between any two tasks.
  func afterLooks(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    foreground { count > 0 ? self.afterLooks(count - 1, body) : body() }
  }
}

extension UVDispatcher.Configuration {
  /// The loop looks at its descriptors after every task.
  static let oneTaskATurn = Self(loopBudget: .init(tasks: 1, time: .seconds(1)))
}
