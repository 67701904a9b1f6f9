import TaskDispatch
import Testing

@testable import UVDispatch

/// The search as a value, on a core without threads. Its tasks stand as if their threads were blocked.
@Suite("A search for deadlocks")
struct DeadlockSearchTests {
  private let group = WorkGroup()

  private func isLive(_ thread: BlockedThread, in bare: BareCore, circlesOnly: Bool = true) -> Bool
  {
    _ = search(bare, circlesOnly: circlesOnly)
    return thread.isLive
  }

  private func search(_ bare: BareCore, circlesOnly: Bool = true) -> DeadlockSearch {
    DeadlockSearch(
      bare.core, AwaitedGroups(of: bare.core, onlyRunning: circlesOnly), circlesOnly: circlesOnly,
      mayHelp: true)
  }

  // MARK: Circles

  @Test("finds a body of a queue that waits to be admitted there")
  func circle() {
    let bare = BareCore()
    let thread = bare.blocked(on: .admission(bare.caller(on: bare.view)), bare.view)

    #expect(!isLive(thread, in: bare))
  }

  @Test("finds one that waits as a barrier, whatever the others of its queue do")
  func barrier() {
    let bare = BareCore(viewWidth: 3)
    let caller = bare.core.makeTask(
      .caller(nil), on: .background, bare.view, isBarrier: true, site: .here(), parent: nil)
    let thread = bare.blocked(on: .admission(caller), bare.view)
    _ = bare.running(on: .background, bare.view)

    #expect(!isLive(thread, in: bare))
  }

  @Test("finds one behind a barrier, although the queue has room")
  func fenced() {
    let bare = BareCore(viewWidth: 2)
    let barrier = bare.core.makeTask(
      .plain {}, on: .background, bare.view, isBarrier: true, site: .here(), parent: nil)
    let caller = bare.caller(on: bare.view)
    for task in [barrier, caller] {
      bare.core.accept(task)
      bare.core.enqueue(task)
    }
    let thread = bare.blocked(on: .admission(caller), bare.view)

    #expect(!isLive(thread, in: bare))
    _ = bare.core.releaseEverything()
  }

  @Test("finds a circle of two, and of each the other")
  func two() {
    let bare = BareCore(width: 3)
    let other = bare.otherView()
    let first = bare.blocked(on: .admission(bare.caller(on: other)), bare.view)
    let second = bare.blocked(on: .admission(bare.caller(on: bare.view)), other)
    let search = DeadlockSearch(
      bare.core, AwaitedGroups(of: bare.core, onlyRunning: true), circlesOnly: true, mayHelp: true)

    #expect(search.dead.map(\.number) == [first.number, second.number])
    #expect(search.victim(from: first) === second)
    #expect(search.links(after: second).count == 1)
  }

  @Test("refuses one of the circle, and not a thread that waits for it")
  func tail() {
    let bare = BareCore(width: 4)
    let (other, third) = (bare.otherView(), bare.otherView())
    _ = bare.blocked(on: .admission(bare.caller(on: other)), bare.view)
    let closing = bare.blocked(on: .admission(bare.caller(on: bare.view)), other)
    let waiting = bare.blocked(on: .admission(bare.caller(on: bare.view)), third)
    let search = DeadlockSearch(
      bare.core, AwaitedGroups(of: bare.core, onlyRunning: true), circlesOnly: true, mayHelp: true)

    #expect(!waiting.isLive)
    #expect(search.victim(from: waiting) === closing)
  }

  @Test("goes through a suspended view, which may be resumed, and finds what that would not end")
  func suspended() {
    let bare = BareCore(width: 3)
    let other = bare.otherView()
    let inside = bare.blocked(on: .admission(bare.caller(on: bare.view)), bare.view)
    let outside = bare.blocked(on: .admission(bare.caller(on: other)), on: .background)
    for view in [bare.view, other] { view.pool.queue.suspend() }

    #expect(!isLive(inside, in: bare))
    #expect(isLive(outside, in: bare))
  }

  @Test("finds one of which a thread helps with a task, and comes back to its wait after that")
  func busy() {
    let bare = BareCore(width: 3)
    let other = bare.otherView()
    let helper = bare.blocked(on: .admission(bare.caller(on: other)), bare.view)
    let thread = bare.blocked(on: .admission(bare.caller(on: bare.view)), other)
    bare.core.blocked.beginBusy(helper)

    #expect(!isLive(thread, in: bare))
    #expect(!helper.isLive)
  }

  @Test(
    "counts a caller that stands before another, and whose thread does not come back to begin",
    arguments: [false, true])
  func busyCaller(comesBack: Bool) {
    let bare = BareCore(width: 3, viewWidth: 2)
    let (other, third) = (bare.otherView(), bare.otherView())
    let helped = (0..<2).map { _ in bare.running(on: .background, bare.view) }[0]
    let callers = (0..<2).map { _ in bare.caller(on: bare.view) }
    bare.view.pool.queue.suspend()
    for caller in callers {
      bare.core.accept(caller)
      bare.core.enqueue(caller)
    }
    _ = bare.view.pool.queue.resume()
    if comesBack { third.pool.queue.suspend() }
    // The helper runs a task of the view, and that task is blocked in turn.
    let helper = bare.blocked(on: .admission(callers[0]), on: .background)
    bare.core.blocked.beginBusy(helper)
    let awaited = comesBack ? third : other
    let inner = bare.block(helped, on: .admission(bare.caller(on: awaited)))
    bare.core.blocked.endBusy(helper)
    let behind = bare.blocked(on: .admission(callers[1]), other)
    bare.core.blocked.beginBusy(helper)

    #expect(isLive(behind, in: bare) == comesBack)
    #expect(inner.isLive == comesBack)
    _ = bare.core.releaseEverything()
  }

  @Test(
    "refuses none whose own body runs on the loop's thread, whichever was blocked last",
    arguments: [false, true])
  func refusable(isLast: Bool) {
    let bare = BareCore(width: 3)
    bare.core.loopThread.claim()
    let caller = bare.core.makeTask(
      .caller(nil), on: .foreground, nil, site: .here(), parent: nil)
    bare.core.accept(caller)
    bare.core.begin(caller)
    // This task holds the view that the loop's thread waits for.
    let own = bare.running(on: .background, bare.view)
    func blockOwn() -> BlockedThread { bare.block(own, on: .admission(caller)) }
    let early = isLast ? nil : blockOwn()
    let loop = bare.block(
      caller, on: .admission(bare.caller(on: bare.view)), isWorker: false, isLoop: true)
    let thread = early ?? blockOwn()

    let search = search(bare)
    #expect(search.dead.count == 2)
    for dead in [thread, loop] { #expect(search.victim(from: dead) === loop) }
  }

  @Test(
    "refuses one of the circle that a thread leads to, through a caller that does not come back")
  func circleThroughABusyCaller() {
    let bare = BareCore(width: 4)
    bare.core.loopThread.claim()
    let loopsCaller = bare.caller(on: bare.view)
    let callers = [bare.caller(on: bare.view), loopsCaller]
    bare.view.pool.queue.suspend()
    for caller in callers {
      bare.core.accept(caller)
      bare.core.enqueue(caller)
    }
    _ = bare.view.pool.queue.resume()
    func onForeground() -> BlockedThread.Target {
      .admission(bare.core.makeTask(.caller(nil), on: .foreground, nil, site: .here(), parent: nil))
    }
    let busy = bare.blocked(on: .admission(callers[0]), on: .background)
    let loop = bare.blocked(
      on: .admission(loopsCaller), on: .foreground, isWorker: false, isLoop: true)
    bare.core.blocked.beginBusy(busy)
    let inner = bare.blocked(on: onForeground(), on: .background)
    bare.core.blocked.endBusy(busy)
    // This thread is in no circle, and was blocked last.
    let outside = bare.blocked(on: onForeground(), on: .background)
    bare.core.blocked.beginBusy(busy)

    let search = search(bare)
    #expect(search.dead.count == 4)
    for dead in [loop, outside] { #expect(search.victim(from: dead) === inner) }
    _ = bare.core.releaseEverything()
  }

  @Test("finds none where a thread that helps may help again")
  func helpsAgain() {
    let bare = BareCore(width: 2)
    let (own, another) = (bare.started(), bare.started())
    let caller = bare.caller(on: bare.view)
    for task in [bare.task(on: .background, bare.view), caller] {
      bare.core.accept(task)
      bare.core.enqueue(task)
    }
    let helper = bare.block(own, on: .admission(caller))
    let thread = bare.block(another, on: .admission(bare.caller(on: bare.view)))
    bare.core.blocked.beginBusy(helper)

    #expect(isLive(helper, in: bare))
    #expect(isLive(thread, in: bare))
    _ = bare.core.releaseEverything()
  }

  @Test("finds none where the queue has room, or one of its bodies goes on or has a time-out")
  func room() {
    let bare = BareCore(width: 4, viewWidth: 2)
    let thread = bare.blocked(on: .admission(bare.caller(on: bare.view)), bare.view)
    #expect(isLive(thread, in: bare))
    _ = bare.running(on: .background, bare.view)
    #expect(isLive(thread, in: bare))

    let timed = BareCore(width: 3)
    let waiting = timed.blocked(on: .admission(timed.caller(on: timed.view)), on: .background)
    _ = timed.blocked(on: .admission(timed.caller(on: nil)), timed.view, mayTimeOut: true)
    #expect(isLive(waiting, in: timed))
  }

  @Test("finds none once a caller was admitted, has run or was rejected", arguments: 0..<3)
  func over(how: Int) {
    let bare = BareCore()
    let caller = bare.caller(on: bare.view)
    let thread = bare.blocked(on: .admission(caller), bare.view)
    switch how {
    case 0: caller.isAdmitted = true
    case 1: caller.hasRun = true
    default: caller.isRejected = true
    }

    #expect(isLive(thread, in: bare))
  }

  @Test("finds a body of the loop that waits for the loop")
  func loop() {
    let bare = BareCore()
    bare.core.loopThread.claim()
    let caller = bare.core.makeTask(
      .caller(nil), on: .foreground, nil, site: .here(), parent: nil)
    let thread = bare.blocked(
      on: .admission(caller), on: .foreground, isWorker: false, isLoop: true)

    #expect(!isLive(thread, in: bare))
    bare.core.loopThread.leave()
    #expect(isLive(thread, in: bare))
  }

  @Test("counts a callback that a thread is blocked in once, however often that is blocked")
  func nestedDeliveries() {
    let bare = BareCore(width: 3)
    func block(_ deliveries: Int, mayTimeOut: Bool = false) -> BlockedThread {
      bare.core.blocked.begin(
        .admission(bare.caller(on: bare.view)),
        BlockedThreads.Standing(
          task: nil, isLoop: false, isWorker: false, deliveries: deliveries,
          mayTimeOut: mayTimeOut)
      ).thread
    }
    let outer = block(1)
    #expect(bare.core.blocked.deliveries == 1, "of a thread without a task, too")
    bare.core.blocked.beginBusy(outer)
    let inner = block(3)
    #expect(bare.core.blocked.deliveries == 3)
    #expect(outer.isSearched && inner.isSearched, "it would wait for itself")
    bare.core.blocked.end(inner)
    bare.core.blocked.endBusy(outer)
    #expect(bare.core.blocked.deliveries == 1)
    let timed = block(2, mayTimeOut: true)
    #expect(bare.core.blocked.deliveries == 1)
    bare.core.blocked.end(timed)
    bare.core.blocked.end(outer)
    #expect(bare.core.blocked.deliveries == 0)
    #expect(bare.core.blocked.searched == 0)
  }

  @Test("is made again once a thread that was refused has gone: there may be more circles")
  func again() {
    let bare = BareCore()
    let thread = bare.blocked(on: .admission(bare.caller(on: bare.view)), bare.view)
    thread.refuse([])
    #expect(!bare.core.blocked.mayCloseCircle)
    bare.core.blocked.end(thread)
    #expect(bare.core.blocked.mayCloseCircle)
    _ = bare.core.blocked.takeSuspicion()
    bare.core.blocked.end(bare.blocked(on: .admission(bare.caller(on: bare.view)), bare.view))
    #expect(!bare.core.blocked.mayCloseCircle)
  }

  @Test(
    "lets no worker help where a circle stays that this does not undo: one thread of it is refused")
  func refusalBeforeHelp() {
    let bare = BareCore(width: 2, viewWidth: 3)
    let (inView, outside) = (bare.running(on: .background, bare.view), bare.started())
    bare.queued(on: .background, bare.view)
    let caller = bare.core.makeTask(
      .caller(nil), on: .background, bare.view, isBarrier: true, site: .here(), parent: nil)
    let other = bare.core.makeTask(
      .caller(nil), on: .background, nil, isBarrier: true, site: .here(), parent: nil)
    for caller in [caller, other] {
      bare.core.accept(caller)
      bare.core.enqueue(caller)
    }
    let helper = bare.block(outside, on: .admission(caller))
    let thread = bare.block(inView, on: .admission(other))
    bare.core.judge(closing: thread)

    #expect(thread.refusal != nil)
    #expect(!helper.mayHelp)
    _ = bare.core.releaseEverything()
  }

  // MARK: Waits for tasks and groups

  @Test("takes a wait for a task that has not started for a circle only if nothing else goes on")
  func queuedTask() {
    let bare = BareCore()
    let item = bare.item(on: .background, bare.view)
    bare.core.put(item)
    let thread = bare.blocked(on: .item(item), bare.view)

    #expect(isLive(thread, in: bare))
    #expect(!isLive(thread, in: bare, circlesOnly: false))
    _ = bare.core.releaseEverything()
  }

  @Test("takes the run of a callback, which has no share of the pool, for no way to a worker")
  func runOfACallback() {
    let bare = BareCore(threads: 2)
    let task = bare.started()
    let item = bare.item(on: .background, bare.view)
    bare.core.put(item)
    let thread = bare.block(task, on: .item(item))
    let suspended = bare.otherView()
    suspended.pool.queue.suspend()
    let callback = bare.core.blocked.begin(
      .admission(bare.caller(on: suspended)),
      BlockedThreads.Standing(
        task: nil, isLoop: false, isWorker: true, deliveries: 1, mayTimeOut: false, isTelling: true)
    ).thread

    #expect(!isLive(thread, in: bare, circlesOnly: false))
    #expect(callback.isLive)
    _ = bare.core.releaseEverything()
  }

  @Test("finds two bodies that wait for each other's end at once")
  func bodies() {
    let bare = BareCore(width: 3)
    let items = (0..<2).map { _ in bare.item() }
    var threads: [BlockedThread] = []
    for number in 0..<2 {
      let task = bare.core.task(for: items[number])
      bare.core.begin(task)
      threads.append(bare.block(task, on: .item(items[1 - number])))
    }

    #expect(!isLive(threads[0], in: bare))
    #expect(!isLive(threads[1], in: bare))
    for item in items { bare.core.forget(item) }
  }

  @Test("finds a wait for a group of which a task stands behind the body that waits")
  func members() {
    let bare = BareCore()
    bare.core.loopThread.claim()
    bare.core.put(bare.item(on: .foreground, group: group))
    let thread = bare.blocked(on: .group(group), on: .foreground, isWorker: false, isLoop: true)

    #expect(!isLive(thread, in: bare, circlesOnly: false))
    group.enter()
    #expect(isLive(thread, in: bare, circlesOnly: false))
    group.leave()
    _ = bare.core.releaseEverything()
  }

  @Test("counts a timer of the group as long as the loop can come to it")
  func timer() {
    let bare = BareCore()
    bare.core.loopThread.claim()
    let item = bare.item(
      .timer, on: .foreground, due: DispatcherInstant(nanoseconds: 1), group: group)
    bare.core.put(item)
    let worker = bare.blocked(on: .group(group), on: .background)
    #expect(isLive(worker, in: bare, circlesOnly: false))

    let loop = bare.blocked(on: .group(group), on: .foreground, isWorker: false, isLoop: true)
    #expect(!isLive(loop, in: bare, circlesOnly: false))
    #expect(!isLive(worker, in: bare, circlesOnly: false))
    _ = bare.core.releaseEverything()
  }

  // MARK: Standing still

  @Test("is made while nothing runs and nothing can start")
  func standsStill() {
    let bare = BareCore()
    bare.core.loopThread.claim()
    #expect(bare.core.standsStill)
    bare.queued()
    #expect(!bare.core.standsStill)
    _ = bare.core.releaseEverything()

    bare.queued(on: .foreground)
    #expect(!bare.core.standsStill)
    let loop = bare.blocked(on: .group(group), on: .foreground, isWorker: false, isLoop: true)
    #expect(bare.core.standsStill)
    bare.core.blocked.flag(loop)
    #expect(!bare.core.standsStill)
    bare.core.blocked.noteChecked(loop)
    bare.running()
    #expect(!bare.core.standsStill)
    _ = bare.core.releaseEverything()
  }
}

extension BareCore {
  /// A task of the background that has its share of the pool.
  fileprivate func started() -> RunningTask {
    queued()
    return core.beginOnWorker()!
  }

  fileprivate func blocked(
    on target: BlockedThread.Target, _ view: UVView, mayTimeOut: Bool = false
  ) -> BlockedThread {
    block(running(on: .background, view), on: target, mayTimeOut: mayTimeOut)
  }

  fileprivate func blocked(
    on target: BlockedThread.Target, on lane: Lane, isWorker: Bool = true, isLoop: Bool = false
  ) -> BlockedThread {
    block(running(on: lane), on: target, isWorker: isWorker, isLoop: isLoop)
  }

  fileprivate func block(
    _ task: RunningTask, on target: BlockedThread.Target, isWorker: Bool = true,
    isLoop: Bool = false, mayTimeOut: Bool = false
  ) -> BlockedThread {
    core.blocked.begin(
      target,
      BlockedThreads.Standing(
        task: task, isLoop: isLoop, isWorker: isWorker, deliveries: 0, mayTimeOut: mayTimeOut)
    ).thread
  }

  fileprivate func otherView() -> UVView {
    let view = UVView(label: "other", width: 1, workerWidth: 1, agingStep: 100_000_000)
    core.add(view)
    return view
  }
}
