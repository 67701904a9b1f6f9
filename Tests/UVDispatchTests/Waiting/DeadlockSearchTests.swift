import TaskDispatch
import Testing

@testable import UVDispatch

/// The search as a value, on a core without threads. Its tasks count as those of blocked threads.
@Suite("A search for deadlocks")
struct DeadlockSearchTests {
  let group = WorkGroup()

  func isLive(_ thread: BlockedThread, in bare: BareCore, circlesOnly: Bool = true) -> Bool {
    _ = search(bare, circlesOnly: circlesOnly)
    return thread.isLive
  }

  func search(_ bare: BareCore, circlesOnly: Bool = true) -> DeadlockSearch {
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
        BlockedThreads.Waiter(
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

  // MARK: When it is made

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
