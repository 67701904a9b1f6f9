import TaskDispatch
import Testing

@testable import UVDispatch

/// Asked while the loop runs and has nothing to do: then only the rest counts.
@Suite("Something can go on without those who wait")
struct ProgressTests {
  private let bare = BareCore()

  init() { bare.core.loopRuns = true }

  @Test("if a worker may start a task, and not if there is none")
  func freeWorker() {
    #expect(!bare.core.canProgress)
    bare.queued()

    #expect(bare.core.canProgress)
    _ = bare.core.releaseEverything()
  }

  @Test("if a body runs that does not wait, and not if it does")
  func running() {
    let task = bare.running()

    #expect(bare.core.canProgress)
    task.beginWait(for: nil)
    #expect(!bare.core.canProgress)
  }

  @Test("if the loop has a task, and not if it waits in one")
  func loop() {
    bare.queued(on: .foreground)

    #expect(bare.core.canProgress)
    bare.running(on: .foreground).beginWait(for: nil)
    #expect(!bare.core.canProgress)
    _ = bare.core.releaseEverything()
  }
}
