import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("The inbox of a queue that was made")
struct ViewInboxTests {
  let bare = BareCore(width: 2, viewWidth: 2)
  var core: Core { bare.core }
  var view: UVView { bare.view }

  func start(in context: BatchContext? = nil, of bare: BareCore? = nil) -> RunningTask? {
    let core = (bare ?? self.bare).core
    let task = core.beginOnWorker(in: context)
    _ = task?.batch?.takePlain()
    return task
  }

  // MARK: Being marked ready

  @Test("is marked ready by the first post, and by none until it has been drained")
  func announced() {
    let bare = BareCore(width: 2, viewWidth: 1)
    let (core, view) = (bare.core, bare.view)
    #expect(!bare.background.mayHoldViews)
    #expect(bare.post(to: view) == .mustNotify)
    #expect(bare.background.mayHoldViews)
    #expect(bare.background.isNotified)
    #expect(bare.background.isNotifying)
    #expect(bare.post(to: view) == .isNotified)

    core.drainAll()
    #expect(!bare.background.mayHoldViews)
    #expect(core.accounts.ledger.accepted == 2)
    #expect(view.pool.queue.ready.count == 2)

    // The background's inbox is still marked as notified, but two workers may be notified.
    #expect(bare.post(to: view) == .mustNotify)
    core.drainAll()
    #expect(bare.post(to: view) == .isNotified)
    #expect(bare.background.mayHoldViews)
    _ = core.releaseEverything()
  }

  @Test("has two posts notify a worker each, if two bodies of it may run")
  func announcedForTwo() {
    #expect(bare.post(to: view) == .mustNotify)
    #expect(bare.post(to: view) == .mustNotify)
    #expect(bare.post(to: view) == .isNotified)
    #expect(bare.background.isNotifying)

    core.drainAll()
    #expect(core.accounts.ledger.accepted == 3)
    #expect(bare.background.tryGoIdle())
    #expect(bare.post(to: view) == .mustNotify)
    core.drainAll()
    // Each time that it is marked ready anew, a post notifies a worker, as long as fewer than two are notified.
    #expect(bare.post(to: view) == .mustNotify)
    #expect(bare.post(to: view) == .isNotified)
    _ = core.releaseEverything()
  }

  @Test("notifies no worker if other posts have notified two already")
  func othersHaveNotified() {
    #expect(bare.post(to: view) == .mustNotify)
    #expect(bare.background.beginPost())
    #expect(bare.background.post(.plainOne {}))

    #expect(bare.post(to: view) == .isNotified)

    #expect(bare.background.isNotifying)
    core.drainAll()
    #expect(core.accounts.ledger.accepted == 3)
    _ = core.releaseEverything()
  }

  @Test("takes more in past the gate if it was marked ready before, and no worker is notified")
  func moreWhenClosed() {
    bare.post(to: view)
    core.doors.background.close()

    #expect(bare.post(to: view) == .isNotified)

    core.drainAll()
    #expect(core.accounts.ledger.accepted == 2)
    _ = core.releaseEverything()
  }

  @Test("is marked ready for one post only, if it is full by the second")
  func fullByTheSecond() {
    let bodies = (0..<2).map { _ in
      bare.post(to: view)
      return start()!
    }
    // When this post is drained, the view is found to be full.
    bare.post(to: view)
    core.drainAll()
    #expect(view.isDrainedOnCompletion)
    #expect(bare.background.tryGoIdle())

    #expect(bare.post(to: view) == .isNotified)

    for body in bodies { core.finish(body, .completed) }
    _ = core.releaseEverything()
  }

  @Test("lets no consumer of the background's go idle while it holds something")
  func resting() {
    bare.post(to: view)

    #expect(!bare.background.tryGoIdle())
    core.drainAll()
    #expect(bare.background.tryGoIdle())
    #expect(bare.post(to: view) == .mustNotify)
    _ = core.releaseEverything()
  }

  @Test("is drained with those of others, in the order in which they were marked ready")
  func order() {
    let other = UVView(label: "other", width: 1, workerWidth: 1, agingStep: 1)
    core.add(other)
    bare.post(to: other)
    bare.post(to: view)

    #expect(start()?.view === other)
    #expect(start()?.view === view)
    #expect(!bare.canStart)
    _ = core.releaseEverything()
  }

  @Test("tells a worker that asks for others whose it is, if it is the only one")
  func onlyOne() {
    let other = UVView(label: "other", width: 1, workerWidth: 1, agingStep: 1)
    core.add(other)
    #expect(!bare.background.mayHoldViews(otherThan: nil))

    for _ in 0..<2 { bare.post(to: view) }
    #expect(!bare.background.mayHoldViews(otherThan: ObjectIdentifier(view)))
    #expect(bare.background.mayHoldViews(otherThan: ObjectIdentifier(other)))
    #expect(bare.background.mayHoldViews(otherThan: nil))

    bare.post(to: other)
    #expect(bare.background.mayHoldViews(otherThan: ObjectIdentifier(view)))
    #expect(bare.background.mayHoldViews(otherThan: ObjectIdentifier(other)))
    _ = core.releaseEverything()
  }

  @Test("has a worker run started for it, if the policy lets one start")
  func owesLease() {
    bare.post(to: view)
    core.reconcile()
    #expect(core.workers.pending == 1)
    _ = core.releaseEverything()
  }

  @Test("has none started while its queue is suspended, and then a post notifies one in vain")
  func suspended() {
    core.background.pool.suspend(view.pool, now: { 0 })
    bare.post(to: view)
    core.reconcile()
    #expect(core.workers.pending == 0)
    #expect(!bare.background.isNotified)
    #expect(view.pool.queue.ready.count == 1)
    #expect(bare.post(to: view) == .mustNotify)
    _ = core.releaseEverything()
  }

  // MARK: Draining it

  @Test("is drained by a helping worker, and by the search for a standstill")
  func otherLooks() {
    bare.post(to: view)
    #expect(core.startToHelp(view)?.view === view)

    core.loopThread.claim()
    while let task = core.running.all.last { core.running.remove(task) }
    bare.post(to: view)
    #expect(!core.standsStill)
    #expect(core.accounts.ledger.accepted == 2)
    core.loopThread.leave()
    _ = core.releaseEverything()
  }

  @Test("is drained by a worker of the background, which then has others beside it")
  func successorOfBackground() {
    for _ in 0..<2 { bare.post() }
    let context = core.makeContext(on: .background)
    #expect(start(in: context) === context)
    bare.post(to: view)

    #expect(core.takeNextOfBatch(in: context, at: 0) == nil)
    #expect(view.pool.queue.ready.count == 1)
    _ = core.releaseEverything()
  }

  @Test("is left alone by a worker of its queue that has enough to do, and others' are not")
  func successorOfItsOwn() {
    let other = UVView(label: "other", width: 1, workerWidth: 1, agingStep: 1)
    core.add(other)
    for _ in 0..<5 { bare.post(to: view) }
    let context = core.makeContext(on: .background)
    #expect(start(in: context) === context)

    // Of the four that wait, one holds a ready token.
    bare.post(to: view)
    for _ in 0..<3 { #expect(core.takeNextOfBatch(in: context, at: 0) != nil) }
    #expect(bare.background.mayHoldViews)
    #expect(core.takeNextOfBatch(in: context, at: 0) != nil)
    #expect(!bare.background.mayHoldViews)
    #expect(view.pool.queue.ready.count == 1)

    bare.post(to: view)
    bare.post(to: other)
    #expect(core.takeNextOfBatch(in: context, at: 0) == nil)
    #expect(other.pool.queue.ready.count == 1)
    #expect(view.pool.queue.ready.count == 2)
    _ = core.releaseEverything()
  }

  @Test("of another queue is seen by a worker of one that has enough to do")
  func successorBesideOthers() {
    let other = UVView(label: "other", width: 1, workerWidth: 1, agingStep: 1)
    core.add(other)
    for _ in 0..<5 { bare.post(to: view) }
    let context = core.makeContext(on: .background)
    #expect(start(in: context) === context)
    bare.post(to: other)

    #expect(core.takeNextOfBatch(in: context, at: 0) == nil)
    #expect(other.pool.queue.ready.count == 1)
    _ = core.releaseEverything()
  }
}
