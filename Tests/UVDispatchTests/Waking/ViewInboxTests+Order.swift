import TaskDispatch
import Testing

@testable import UVDispatch

/// What the inbox holds goes before or behind other work of its queue, and what the closed gate keeps out.
extension ViewInboxTests {
  // MARK: In order

  @Test("has been drained when something else comes in behind it", arguments: [false, true])
  func behindIt(isBarrier: Bool) {
    bare.post(to: view)
    let task = core.makeTask(
      .plain {}, on: .background, view, isBarrier: isBarrier, site: .here(), parent: nil)
    core.accept(task)
    core.enqueue(task)
    bare.post(to: view)

    #expect(start()?.batch != nil)
    let second = start()
    if isBarrier {
      #expect(second == nil)
    } else {
      #expect(second === task)
    }
    _ = core.releaseEverything()
  }

  @Test("is ordered behind all that has a number, except what it comes in before")
  func numbered() {
    let timer = bare.item(.timer, on: .background, view)
    for _ in 0..<3 { bare.queued() }
    bare.post(to: view)
    core.enqueue(timer)
    #expect(view.orderOfPlain == 4)
    _ = core.releaseEverything()

    let other = BareCore(width: 2, viewWidth: 2)
    other.post(to: other.view)
    other.queued(on: .background, other.view)
    #expect(other.view.orderOfPlain == 0)
    _ = other.core.releaseEverything()
  }

  @Test("has been drained when a caller of `sync` is to begin at once")
  func entered() {
    bare.post(to: view)

    #expect(bare.entering(view) == nil)
    #expect(view.pool.queue.ready.count == 1)
    _ = core.releaseEverything()
  }

  enum Change: CaseIterable { case end, cancellation, resumption }

  @Test(
    "goes before a caller of `sync` with a lower priority, whatever lets one of them start",
    arguments: Change.allCases)
  func beforeLowCaller(_ change: Change) {
    let bare = BareCore(width: 1, viewWidth: 1)
    let core = bare.core
    var context: BatchContext?
    var item: WorkItem?
    switch change {
    case .end:
      bare.post(to: bare.view)
      context = core.beginOnWorker()?.batch
      _ = context?.takePlain()
    case .cancellation:
      // A worker would have to start that item, and none is free.
      bare.queued()
      _ = core.beginOnWorker()
      let waiting = bare.item(.task, on: .background, bare.view, band: .high)
      core.put(waiting)
      item = waiting
    case .resumption:
      core.background.pool.suspend(bare.view.pool, now: { 0 })
    }
    let caller = bare.queuedCaller(on: bare.view, in: .low)
    #expect(!caller.isAdmitted)
    bare.post(to: bare.view)

    switch change {
    case .end: core.finish(context!, .completed)
    case .cancellation: #expect(core.cancel(item!) == .beforeStart)
    case .resumption: core.resume(bare.view)
    }

    #expect(!caller.isAdmitted)
    #expect(bare.view.pool.queue.ready.count == 2)
    #expect(!bare.view.isDrainedOnCompletion)
    _ = core.releaseEverything()
  }

  @Test("of a queue full of workers goes before a caller of `sync` with a lower priority, too")
  func beforeLowCallerWhileFull() {
    let bare = BareCore(width: 1, viewWidth: 8)
    let core = bare.core
    let context = bare.full()
    #expect(core.takeNextOfBatch(in: context, at: 0) != nil)
    let item = bare.item(.task, on: .background, bare.view)
    core.put(item)
    let caller = bare.queuedCaller(on: bare.view, in: .low)
    bare.post(to: bare.view)
    #expect(bare.view.isDrainedOnCompletion)

    #expect(core.cancel(item) == .beforeStart)

    #expect(!caller.isAdmitted)
    #expect(bare.view.pool.queue.ready.count == 2)
    #expect(bare.view.isDrainedOnCompletion)
    core.finish(context, .completed)
    _ = core.releaseEverything()
  }

  @Test(
    "tells a caller of `sync` that age has put next, whichever step finds that",
    arguments: [false, true])
  func agedCaller(bySuccessor: Bool) {
    let bare = BareCore(width: 1, viewWidth: 8, agingStep: 1)
    let core = bare.core
    for _ in 0..<2 { bare.post(to: bare.view) }
    let caller = bare.queuedCaller(on: bare.view, in: .low)
    // This start passes the call of `sync` over, so that ages from now on.
    let context = core.makeContext(on: .background)
    _ = start(in: context, of: bare)
    bare.post(to: bare.view)
    core.drainAll()
    #expect(bare.view.isDrainedOnCompletion)
    #expect(!caller.isAdmitted)
    bare.post(to: bare.view)
    core.clock.forget()

    if bySuccessor {
      #expect(core.takeNextOfBatch(in: context, at: 0) != nil)
    } else {
      core.drainAll()
    }

    #expect(caller.isAdmitted)
    #expect(core.blocked.admitted == 1)
    core.begin(caller)
    core.finish(context, .completed)
    core.finish(caller, .completed)
    _ = core.releaseEverything()
  }

  // MARK: At the gate

  @Test("takes nothing in once the gate is closed; what it held is drained", arguments: [1, 2])
  func closed(viewWidth: Int) {
    let bare = BareCore(width: 2, viewWidth: viewWidth)
    let context = bare.full()
    #expect(bare.view.isDrainedOnCompletion == (viewWidth == 1))
    bare.post(to: bare.view)

    bare.core.closeInboxes()

    #expect(bare.core.accounts.ledger.accepted == 3)
    #expect(!bare.view.isDrainedOnCompletion)
    // After a refusal the lock of the inbox is not held either.
    for _ in 0..<2 { #expect(bare.post(to: bare.view) == .isRefused) }
    #expect(bare.view.pool.queue.ready.count == 2)
    bare.core.finish(context, .completed)
    _ = bare.core.releaseEverything()
  }

  @Test("of a queue that is made behind the gate takes nothing in")
  func madeLater() {
    core.closeInboxes()
    let late = UVView(label: "late", width: 1, workerWidth: 1, agingStep: 1)
    core.add(late)

    #expect(bare.post(to: late) == .isRefused)
  }
}
