import TaskDispatch
import Testing

@testable import UVDispatch

/// The search for a circle, asked while nobody runs the loop: then nothing else counts as stuck.
@Suite("A caller whose view is full of bodies that wait for it")
struct CircleTests {
  @Test("is stuck")
  func circle() {
    let bare = BareCore()
    let caller = bare.caller(on: bare.view)
    bare.running(bare.view).beginWait(for: caller)

    #expect(bare.core.isStuck(caller))
  }

  @Test("is stuck if it is a barrier, and one of them waits for it, whatever the others do")
  func barrier() {
    let bare = BareCore(viewWidth: 2)
    let caller = bare.core.makeTask(
      .caller(nil), on: .background, bare.view, isBarrier: true, site: .here(),
      parent: nil)
    bare.running(bare.view).beginWait(for: caller)
    _ = bare.running(bare.view)

    #expect(bare.core.isStuck(caller))
  }

  @Test("is stuck behind a barrier that waits for one of them, although the view has room")
  func fenced() {
    let bare = BareCore(viewWidth: 2)
    let barrier = bare.core.makeTask(
      .plain {}, on: .background, bare.view, isBarrier: true, site: .here(), parent: nil)
    let caller = bare.caller(on: bare.view)
    for task in [barrier, caller] {
      bare.core.accept(task)
      bare.core.enqueue(task)
    }
    bare.running(bare.view).beginWait(for: caller)

    #expect(bare.core.isStuck(caller))
    _ = bare.core.releaseEverything()
  }

  @Test("is stuck if what its thread runs meanwhile waits for it, although its turn has come")
  func helped() {
    let bare = BareCore(viewWidth: 2)
    let caller = bare.caller(on: bare.view)
    let helped = bare.running(bare.view)
    helped.beginWait(for: caller)
    caller.isGranted = true
    caller.helped = helped

    #expect(bare.core.isStuck(caller))
    // They hold each other.
    caller.helped = nil
  }

  @Test("is not stuck while its view is suspended, nor is who waits for it")
  func suspended() {
    let bare = BareCore()
    let caller = bare.caller(on: bare.view)
    let other = bare.caller(on: nil)
    bare.running(bare.view).beginWait(for: caller)
    bare.running().beginWait(for: caller)
    bare.view.pool.queue.suspend()

    #expect(!bare.core.isStuck(caller))
    #expect(!bare.core.isStuck(other))
  }

  @Test("is not stuck if the view has room")
  func room() {
    let bare = BareCore(viewWidth: 2)
    let caller = bare.caller(on: bare.view)
    bare.running(bare.view).beginWait(for: caller)

    #expect(!bare.core.isStuck(caller))
  }

  @Test("is not stuck if one of them goes on")
  func oneGoesOn() {
    let bare = BareCore(viewWidth: 2)
    let caller = bare.caller(on: bare.view)
    bare.running(bare.view).beginWait(for: caller)
    _ = bare.running(bare.view)

    #expect(!bare.core.isStuck(caller))
  }

  @Test("is not stuck if one of them waits for more than one thing")
  func unknownWait() {
    let bare = BareCore()
    let caller = bare.caller(on: bare.view)
    bare.running(bare.view).beginWait(for: nil)

    #expect(!bare.core.isStuck(caller))
  }

  @Test("is not stuck if they wait for a task in the queue, which may be cancelled")
  func queuedTask() {
    let bare = BareCore()
    let caller = bare.caller(on: bare.view)
    bare.running(bare.view).beginWait(for: bare.queued(bare.view))

    #expect(!bare.core.isStuck(caller))
    _ = bare.core.releaseEverything()
  }

  @Test(
    "is not stuck once its turn has come, it has run or a shutdown has refused it", arguments: 0..<3
  )
  func over(how: Int) {
    let bare = BareCore()
    let caller = bare.caller(on: bare.view)
    bare.running(bare.view).beginWait(for: caller)
    switch how {
    case 0: caller.isGranted = true
    case 1: caller.hasRun = true
    default: caller.isTurnedAway = true
    }

    #expect(!bare.core.isStuck(caller))
  }
}

extension BareCore {
  fileprivate func running(_ view: UVView) -> QueuedTask { running(on: .background, view) }
  fileprivate func queued(_ view: UVView) -> QueuedTask { queued(on: .background, view) }
}
