import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("The inbox of a queue that is full")
struct FullViewInboxTests {
  @Test("is drained on completion while that is full, so a post notifies no thread")
  func isDrainedOnCompletion() {
    let bare = BareCore(width: 2, viewWidth: 1)
    let core = bare.core
    let context = bare.full()
    #expect(bare.view.isDrainedOnCompletion)

    for _ in 0..<2 { #expect(bare.post(to: bare.view) == .isNotified) }
    #expect(!bare.background.mayHoldViews)
    for _ in 0..<3 { #expect(core.takeNextOfBatch(in: context, at: 0) != nil) }
    #expect(bare.view.isDrainedOnCompletion)
    #expect(core.takeNextOfBatch(in: context, at: 0) == nil)

    core.finish(context, .completed)
    #expect(!bare.view.isDrainedOnCompletion)
    #expect(context.poolView == nil)
    _ = bare.post(to: bare.view)
    #expect(bare.background.mayHoldViews)
    #expect(core.accounts.ledger.accepted == 4)
    _ = core.releaseEverything()
  }

  @Test("is drained when a body of a full queue ends")
  func fullNoMore() {
    let bare = BareCore(width: 2, viewWidth: 1)
    let context = bare.full()
    #expect(bare.core.takeNextOfBatch(in: context, at: 0) != nil)
    bare.post(to: bare.view)

    bare.core.finish(context, .completed)

    #expect(bare.core.accounts.ledger.accepted == 3)
    #expect(bare.view.pool.holder === bare.view)
    #expect(bare.canStart)
    _ = bare.core.releaseEverything()
  }

  @Test("is drained by a thread that wants to know all that waits, and on completion still")
  func seenWhileFull() {
    let bare = BareCore(width: 2, viewWidth: 1)
    let context = bare.full()
    bare.post(to: bare.view)

    bare.core.drainAll()

    #expect(bare.core.accounts.ledger.accepted == 3)
    #expect(bare.view.isDrainedOnCompletion)
    bare.core.finish(context, .completed)
    _ = bare.core.releaseEverything()
  }

  @Test("is drained when something comes in behind it, and on completion still")
  func behindItWhileFull() {
    let bare = BareCore(width: 2, viewWidth: 1)
    let context = bare.full()
    bare.post(to: bare.view)
    bare.queued(on: .background, bare.view)

    #expect(bare.core.takeNextOfBatch(in: context, at: 0) != nil)
    #expect(bare.core.takeNextOfBatch(in: context, at: 0) != nil)
    // The entry that came behind it is no plain body.
    #expect(bare.core.takeNextOfBatch(in: context, at: 0) == nil)
    #expect(bare.view.isDrainedOnCompletion)
    bare.core.finish(context, .completed)
    _ = bare.core.releaseEverything()
  }

  @Test("is drained by a helping worker, if it is full for workers alone")
  func helpedWhileFull() {
    let bare = BareCore(width: 1, viewWidth: 3)
    let context = bare.full()
    #expect(bare.view.isDrainedOnCompletion)
    #expect(bare.core.startToHelp(bare.view)?.view === bare.view)
    bare.post(to: bare.view)

    #expect(bare.core.startToHelp(bare.view)?.view === bare.view)
    #expect(bare.view.pool.queue.running == 3)
    bare.core.finish(context, .completed)
    _ = bare.core.releaseEverything()
  }

  @Test("of a queue that is suspended while full is marked ready again")
  func suspendedWhileFull() {
    let bare = BareCore(width: 2, viewWidth: 1)
    let context = bare.full()
    bare.core.background.pool.suspend(bare.view.pool, now: { 0 })
    bare.core.drainAll()

    #expect(!bare.view.isDrainedOnCompletion)
    bare.post(to: bare.view)
    #expect(bare.background.mayHoldViews)
    bare.core.finish(context, .completed)
    _ = bare.core.releaseEverything()
  }

  @Test("of a queue that an admitted caller fills before its thread has noticed is one as well")
  func fullByGranted() {
    let bare = BareCore(width: 2, viewWidth: 1)
    let context = bare.full()
    let caller = bare.caller(on: bare.view)
    bare.core.accept(caller)
    bare.core.enqueue(caller)
    #expect(bare.core.takeNextOfBatch(in: context, at: 0) == nil)
    bare.core.finish(context, .completed)
    #expect(bare.core.beginOnWorker(in: context) === context)
    _ = context.takePlain()
    bare.core.finish(context, .completed)
    #expect(caller.isAdmitted)

    bare.post(to: bare.view)
    bare.core.drainAll()
    #expect(bare.view.isDrainedOnCompletion)
    bare.post(to: bare.view)
    bare.core.closeInboxes()

    #expect(bare.core.accounts.ledger.accepted == 5)
    #expect(bare.post(to: bare.view) == .isRefused)
    #expect(bare.core.background.full.isEmpty)
    bare.core.begin(caller)
    bare.core.finish(caller, .completed)
    _ = bare.core.releaseEverything()
  }
}
