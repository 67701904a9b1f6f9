import Synchronization
import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("A thread that looks for work without the lock")
struct HintTests {
  private let bare = BareCore()
  private var core: Core { bare.core }
  private var mayStart: Bool { core.doors.hints.taskMayStart }
  private var loopMustLook: Bool { core.doors.hints.loopMustLook }

  @Test("is told that a task may start, and that none may any more")
  func hint() {
    core.workers.beginSearch()
    bare.queued()

    core.reconcile()
    #expect(mayStart)

    let context = core.makeContext(on: .background)
    #expect(core.beginOnWorker(in: context) != nil)
    core.reconcile()
    #expect(!mayStart)
  }

  @Test("is told when it is started")
  func started() {
    bare.queued()

    core.reconcile()

    #expect(core.workers.pending == 1)
    #expect(core.workers.searching == 1)
    #expect(mayStart)
  }

  @Test("is not started while every worker is busy, and no post need notify one")
  func busy() {
    bare.post()
    #expect(core.beginOnWorker() != nil)
    bare.post()

    core.reconcile()

    #expect(core.workers.pending == 0)
    // The busy worker drains the inbox when its body has ended, so a post need not notify a consumer.
    #expect(bare.inbox(of: .background).isNotified)
    #expect(bare.inbox(of: .background).mayHoldEntries)
  }

  @Test("is told of what a search for deadlocks has drained, if it is a worker")
  func drainedForWorker() {
    core.workers.beginSearch()
    core.reconcile()
    bare.post()

    _ = core.standsStill

    #expect(!bare.inbox(of: .background).mayHoldEntries)
    #expect(mayStart)
  }

  @Test("is told of what a caller of sync has drained")
  func drainedForCaller() {
    core.workers.beginSearch()
    core.reconcile()
    bare.post(to: bare.otherView())

    let context = core.enterAtOnce(
      bare.view, asBarrier: false, at: CallSite(fileID: "", line: 0), parent: nil)

    #expect(context != nil)
    #expect(!bare.inbox(of: .background).mayHoldViews)
    #expect(mayStart)
  }

  @Test("is told of what a search for deadlocks has drained, if it is the loop's")
  func drainedForLoop() {
    core.loop.beginSpin()
    core.reconcile()
    bare.post(on: .foreground)

    _ = core.standsStill

    #expect(!bare.inbox(of: .foreground).mayHoldEntries)
    #expect(core.loop.state == .told)
    #expect(loopMustLook)
  }
}
