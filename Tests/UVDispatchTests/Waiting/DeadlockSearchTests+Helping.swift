import TaskDispatch
import Testing

@testable import UVDispatch

/// Threads that help while they wait, and those that could.
extension DeadlockSearchTests {
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
}
