import TaskDispatch
import Testing

@testable import UVDispatch

/// A plain body that waits in a view is only a closure: it holds no view, and has no task object.
@Suite("A plain body that waits in a view")
struct PlainInViewTests {
  private let bare = BareCore(width: 2, viewWidth: 2)
  private var core: Core { bare.core }

  /// Posts a plain body, and drains the inbox.
  private func post(line: UInt = #line, to view: UVView) {
    bare.post(to: view, line: line)
    core.drainAll()
  }

  private func start(in context: BatchContext? = nil) -> RunningTask? {
    core.beginOnWorker(in: context)
  }

  @Test("is run in a running-task context of that view, which a body of another queue then leaves")
  func context() throws {
    let context = core.makeContext(on: .background)
    post(to: bare.view)
    let lane = context.queue

    #expect(start(in: context) === context)
    #expect(context.view === bare.view)
    #expect(context.queue.view == ObjectIdentifier(bare.view))
    #expect(context.queueLabel == "view")
    _ = context.takePlain()
    core.finish(context, .completed)
    #expect(bare.view.pool.queue.running == 0)
    #expect(context.view == nil)

    bare.post()
    #expect(start(in: context) === context)
    #expect(context.view == nil)
    #expect(context.queue == lane)
    #expect(context.queueLabel == "background")
    _ = context.takePlain()
    core.finish(context, .completed)
  }

  @Test(
    "keeps the view until the last was taken, and its running-task context until that has run",
    arguments: [false, true])
  func keepsView(bySuccession: Bool) {
    weak var gone: UVView?
    let context = core.makeContext(on: .background)
    do {
      let view = UVView(label: "v", width: 1, workerWidth: 1, agingStep: 1)
      core.add(view)
      gone = view
      for _ in 0..<2 { post(to: view) }
    }
    #expect(gone != nil)

    _ = start(in: context)
    _ = context.takePlain()
    #expect(gone?.pool.holder === gone)
    if bySuccession {
      #expect(core.takeNextOfBatch(in: context, at: 0) != nil)
    } else {
      core.finish(context, .completed)
      _ = start(in: context)
      _ = context.takePlain()
    }
    #expect(gone != nil)
    #expect(gone?.pool.holder == nil)

    core.finish(context, .completed)
    #expect(gone == nil)
    withExtendedLifetime(context) {}
  }

  @Test("keeps it no longer when what stands behind has been cancelled")
  func behindItCancelled() {
    post(to: bare.view)
    let item = bare.item(.task, on: .background, bare.view)
    core.put(item)
    _ = start()?.batch?.takePlain()
    #expect(bare.view.pool.holder != nil)

    #expect(core.cancel(item) == .beforeStart)

    #expect(bare.view.pool.holder == nil)
  }

  @Test(
    "keeps it no longer when a caller of `sync` behind it is admitted, or goes",
    arguments: 1...2, [false, true])
  func behindItCaller(viewWidth: Int, goes: Bool) {
    let bare = BareCore(width: 2, viewWidth: viewWidth)
    bare.post(to: bare.view)
    let caller = bare.caller(on: bare.view)
    bare.core.accept(caller)
    bare.core.enqueue(caller)

    let context = bare.core.makeContext(on: .background)
    _ = bare.core.beginOnWorker(in: context)
    _ = context.takePlain()

    #expect(caller.isAdmitted == (viewWidth == 2))
    if !caller.isAdmitted {
      #expect(bare.view.pool.holder != nil)
      if goes {
        #expect(bare.core.takeBack(caller))
      } else {
        bare.core.finish(context, .completed)
        #expect(caller.isAdmitted)
      }
    }
    #expect(bare.view.pool.holder == nil)
  }

  @Test(
    "gets a task that names it when plain tasks are materialised, in order of submission",
    arguments: [false, true])
  func promoted(isCollected: Bool) {
    let before = bare.item()
    core.put(before)
    bare.post(to: bare.view, line: 7)
    if isCollected { core.drainAll() }
    let after = bare.item(.task, on: .background, bare.view)
    core.put(after)
    bare.post(to: bare.view, line: 8)
    core.put(bare.item())

    core.materialisePlainTasks()

    #expect(bare.view.pool.holder == nil)
    var found: [(line: UInt32, order: UInt64, view: UVView?)] = []
    core.forEachReady { task in
      if task.item == nil { found.append((task.site.line, task.order, task.view)) }
    }
    #expect(found.map(\.line) == [7, 8])
    #expect(found.map(\.order) == [before.place.id.number, after.place.id.number])
    #expect(found.allSatisfy { $0.view === bare.view })
    #expect(core.releaseEverything().count == 5)
    #expect(bare.view.pool.queue.ready.count == 0)
  }

  @Test("is reported before what came later and has overtaken it")
  func overtaken() {
    for view in [bare.view, nil] {
      if let view { post(line: 7, to: view) } else { bare.post() }
      let high = bare.item(.task, on: .background, view, band: .high)
      core.put(high)

      core.materialisePlainTasks()

      var orders: [UInt64] = []
      core.forEachReady { if $0.item == nil { orders.append($0.order) } }
      #expect(orders.count == 1)
      #expect(orders.allSatisfy { $0 < high.place.id.number })
      #expect(core.releaseEverything().count == 2)
    }
  }

  @Test("goes with its dispatcher, and so does the view that it kept")
  func released() {
    weak var gone: UVView?
    do {
      let view = UVView(label: "v", width: 1, workerWidth: 1, agingStep: 1)
      core.add(view)
      gone = view
      post(to: view)
    }

    #expect(core.releaseEverything().count == 1)

    #expect(gone == nil)
  }

  @Test("is no next task of a batch while something waits in the inbox, which has a say")
  func inbox() throws {
    for _ in 0..<4 { post(to: bare.view) }
    let context = try #require(start()?.batch)
    _ = context.takePlain()
    #expect(core.takeNextOfBatch(in: context, at: 0) != nil)
    bare.post()

    #expect(core.takeNextOfBatch(in: context, at: 0) == nil)
    core.drainAll()
    #expect(core.takeNextOfBatch(in: context, at: 0) == nil)
    _ = core.releaseEverything()
  }
}
