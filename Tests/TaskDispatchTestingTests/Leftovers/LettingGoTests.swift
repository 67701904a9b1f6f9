import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("What a dispatcher lets go of")
struct LettingGoTests {
  /// Calls its dispatcher when it is destroyed. That call takes the lock.
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

  @Test("has its outcome, wherever it waited, although no test has finished the dispatcher")
  func unfinished() throws {
    let group = WorkGroup()
    var dispatcher: RecordingDispatcher? = RecordingDispatcher()
    func submit(_ dispatcher: RecordingDispatcher) throws {
      for queue in [dispatcher.foreground, dispatcher.background] {
        _ = queue.after(.seconds(1), group: group) {}
        _ = queue.every(.seconds(1), group: group) {}
        _ = queue.after(.seconds(9), group: group) {}
        queue.async(group: group) {}
      }
      try dispatcher.skipTime(by: .seconds(2))
    }
    try submit(#require(dispatcher))
    weak let left = dispatcher
    #expect(group.count == 8)

    dispatcher = nil

    #expect(left == nil)
    #expect(group.count == 0)
  }

  @Test("may ask it while it goes: a plain body that is refused, with a reply and without")
  func refused() throws {
    let (dispatcher, log) = (RecordingDispatcher(.init(overflow: .reject(limit: 1))), Log())
    func post(_ asker: Asker, thenToo: Bool) -> Admission {
      if !thenToo { return dispatcher.background { withExtendedLifetime(asker) {} } }
      return dispatcher.background.async(
        { withExtendedLifetime(asker) {} }, then: { _ in withExtendedLifetime(asker) {} })
    }
    dispatcher.background {}

    for thenToo in [false, true] {
      #expect(post(Asker(dispatcher, log), thenToo: thenToo) == .refused(.limitReached))
    }

    #expect(log.all == Array(repeating: "gone, and true", count: 2))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("may ask it while it goes: a plain body that has its slot, and is given up")
  func abandoned() throws {
    let log = Log()
    let dispatcher = RecordingDispatcher()
    func start(_ asker: Asker) throws {
      dispatcher.background { withExtendedLifetime(asker) {} }
      // Before the fake can run this task, a worker has to start the other.
      dispatcher.background.async(label: "second") {}
      try dispatcher.runTask(labeled: "second")
    }
    try start(Asker(dispatcher, log))

    dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
    try dispatcher.advanceTime(by: .seconds(1))

    #expect(log.all == ["gone, and true"])
    #expect(dispatcher.ledger.abandoned == 1)
  }
}
