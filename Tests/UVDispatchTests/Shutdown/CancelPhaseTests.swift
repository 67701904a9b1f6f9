import Synchronization
import TaskDispatch
import Testing

@testable import UVDispatch

/// Tests a core whose loop runs.
@Suite("When the drain is over")
struct CancelPhaseTests {
  private let bare = BareCore()
  private var core: Core { bare.core }
  private let drainIsOver = ShutdownPolicy(drain: .zero, cancel: .seconds(3600))

  init() { core.loopThread.claim() }

  @Test("a body that still runs is asked to stop, and nothing is let in from it any more")
  func gate() {
    bare.running()

    core.beginShutdown(drainIsOver)

    #expect(core.closing.progress?.phase == .cancelling)
    #expect(core.refusal(isTimer: false, isFromOwnWork: true) == .shutDown)
    #expect(core.closing.report == nil)
  }

  @Test("plain bodies are cancelled that have not started", arguments: Lane.allCases)
  func plain(lane: Lane) {
    bare.running()
    for _ in 0..<2 { bare.post(on: lane) }

    core.beginShutdown(drainIsOver)

    #expect(core.accounts.ledger.cancelled == 2)
    #expect(core.accounts.ledger.waiting == 0)
    #expect(core.closing.progress?.unfinished.map(\.left.state) == [.neverStarted, .neverStarted])
  }

  @Test("there is no report before the loop has had an iteration: a signal may have come")
  func beforeTheTurn() {
    core.beginShutdown(drainIsOver)

    #expect(core.closing.report == nil)
  }

  @Test("and nothing is left, there is a report")
  func nothingLeft() {
    core.beginShutdown(drainIsOver)
    core.advanceShutdown(isIteration: true)

    #expect(core.closing.report != nil)
  }

  @Test("there is no report while a caller is admitted whose thread has not noticed")
  func granted() {
    core.blocked.admit(bare.caller(on: nil))

    core.beginShutdown(drainIsOver)
    core.advanceShutdown(isIteration: true)

    #expect(core.closing.report == nil)
  }

  @Test(
    "there is no report while a callback of an outcome is delivered, or is to be",
    arguments: [true, false])
  func delivery(isUnderWay: Bool) {
    if isUnderWay { core.doors.callbackCounts.begin() } else { core.callbacks.append {} }

    core.beginShutdown(drainIsOver)
    core.advanceShutdown(isIteration: true)

    #expect(core.closing.report == nil)
  }
}
