import TaskDispatch
import Testing

@testable import UVDispatch

/// Tests a core in which one body runs.
@Suite("A shutdown that has begun")
struct LaterShutdownTests {
  private let bare = BareCore()
  private var core: Core { bare.core }

  init() {
    core.loopThread.claim()
    bare.running()
    core.beginShutdown(.init(drain: .seconds(100), cancel: .seconds(100)))
  }

  private var deadlines: [Int64]? { core.closing.progress.map { [$0.drainUntil, $0.cancelUntil] } }

  @Test("is not lengthened by a later call")
  func lengthened() {
    let before = deadlines

    core.beginShutdown(.init(drain: .seconds(3600), cancel: .seconds(3600)))

    #expect(deadlines == before)
  }

  @Test("is shortened by a later call")
  func shortened() throws {
    let before = try #require(deadlines)

    core.beginShutdown(.init(drain: .seconds(10), cancel: .seconds(10)))

    let after = try #require(deadlines)
    #expect(after[0] < before[0])
    #expect(after[1] < before[1])
  }

  @Test("wakes the loop at its next deadline")
  func nextDeadline() throws {
    let shutdown = try #require(core.closing.progress)

    #expect(core.nextDeadline == shutdown.drainUntil)
  }
}
