import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("What a dispatcher lets go of")
struct LettingGoTests {
  /// Asks its dispatcher when it goes, which takes the lock.
  private final class Asker: Sendable {
    private let dispatcher: RecordingDispatcher
    private let log: Log

    init(_ dispatcher: RecordingDispatcher, _ log: Log) {
      self.dispatcher = dispatcher
      self.log = log
    }

    deinit { log.note("gone, and \(dispatcher.ledger.balances)") }
  }

  @Test("may ask it while it goes: a plain body, a handler and a call that are left over")
  func asking() throws {
    let (dispatcher, log) = (RecordingDispatcher(.init(leftovers: .ignore)), Log())
    func use() throws {
      let askers = (0..<3).map { _ in Asker(dispatcher, log) }
      dispatcher.background { [asker = askers[0]] in withExtendedLifetime(asker) {} }
      try dispatcher.onSignal(.hangup) { [asker = askers[1]] _ in
        withExtendedLifetime(asker) {}
      }
      try dispatcher.onReady(7, for: .readable) { [asker = askers[2]] _ in
        withExtendedLifetime(asker) {}
      }
    }
    try use()
    try dispatcher.makeReady(7, .readable)

    try? dispatcher.finish()

    #expect(log.all == Array(repeating: "gone, and true", count: 3))
  }
}
