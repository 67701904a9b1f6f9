import Foundation
import Redis
import Testing
import UVDispatch

/// Everything here: the process has one pool, and tests that hold its threads would wait for each other.
@Suite("hiredis on our loop", .serialized)
struct OnOurLoop {}

/// How long a test waits for what must happen. Only what is broken takes that long.
let patience = Duration.seconds(60)

/// Runs a dispatcher on this thread until somebody shuts it down, and expects that nothing is left.
///
/// - Parameter body: Its first task, on the foreground.
/// - Returns: What the shutdown left behind, which is nothing.
@discardableResult
func onForeground(
  _ configuration: UVDispatcher.Configuration = .init(),
  at location: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (UVDispatcher) -> Void
) throws -> ShutdownReport {
  let dispatcher = try UVDispatcher(configuration)
  dispatcher.foreground { body(dispatcher) }
  let alarm = dispatcher.foreground.after(patience) {
    Issue.record("nobody has shut the dispatcher down", sourceLocation: location)
    dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
  }
  let report = runHere(dispatcher)
  alarm.cancel()
  #expect(report.unfinished == [], sourceLocation: location)
  #expect(report.ledger.balances, sourceLocation: location)
  return report
}

/// Also in an asynchronous test, whose thread may stand still as well.
private func runHere(_ dispatcher: UVDispatcher) -> ShutdownReport { dispatcher.run() }
