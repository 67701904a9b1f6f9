import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

@Suite("A caller of sync where nothing waits")
struct EnteringTests {
  @Test("begins at once, as a running task of that queue, and gives its share back")
  func begins() throws {
    let bare = BareCore()
    for round in 1...3 {
      let context = try #require(bare.entering(bare.view))
      #expect(bare.view.pool.queue.onCallers == 1)
      #expect(bare.core.running.all.map(ObjectIdentifier.init) == [ObjectIdentifier(context)])
      #expect(
        bare.core.accounts.ledger == ledger(accepted: round, running: 1, completed: round - 1))

      bare.core.leaveAndKeep(context)
      #expect(bare.view.pool.queue.running == 0)
      #expect(bare.core.running.all.isEmpty)
      #expect(bare.core.accounts.ledger == ledger(accepted: round, completed: round))
    }
  }

  @Test("is shown as itself, whichever task had its running-task context before")
  func shown() throws {
    let bare = BareCore()
    bare.core.leaveAndKeep(try #require(bare.entering(bare.view, line: 1, parent: 4)))

    let context = try #require(bare.entering(nil, line: 2))
    #expect(context.record.site.line == 2)
    #expect(context.record.queue == "background")
    #expect(context.record.parent == nil)
    #expect(context.record.id == TaskID(2))
    #expect(context.queue.view == nil && context.lane == .background)
    bare.core.leaveAndKeep(context)

    let other = try #require(bare.entering(bare.view, line: 3, parent: 7))
    #expect(other.record.parent == TaskID(7))
    #expect(other.record.queue == bare.view.label)
    #expect(other.queue.view == ObjectIdentifier(bare.view))
    bare.core.leaveAndKeep(other)
  }

  @Test("shares no running-task context with one that is still looked at, nor with one inside it")
  func contexts() throws {
    let bare = BareCore(viewWidth: 2)
    let looking = try #require(bare.entering(bare.view, line: 1))
    bare.core.leaveAndKeep(looking)  // keeps a reference, for it is looked at below

    let outer = try #require(bare.entering(bare.view, line: 2))
    let inner = try #require(bare.entering(nil, line: 3))
    #expect(looking.record.site.line == 1)
    #expect(outer.record.site.line == 2)
    #expect(inner.record.site.line == 3)
    for context in [inner, outer] { bare.core.leaveAndKeep(context) }
  }

  @Test("lets go of its view when it has left")
  func viewLetGo() throws {
    let bare = BareCore()
    weak var view: UVView?
    do {
      let made = UVView(label: "gone", width: 1, workerWidth: 1, agingStep: 1)
      bare.core.add(made)
      view = made
      bare.core.leaveAndKeep(try #require(bare.entering(made)))
    }
    #expect(view == nil)
  }

  @Test("runs alone if it is a barrier, and others may again when it has ended")
  func barrier() throws {
    let bare = BareCore(viewWidth: 2)

    let barrier = try #require(bare.entering(bare.view, asBarrier: true))
    #expect(barrier.isBarrier)
    #expect(bare.entering(bare.view) == nil)
    bare.core.leaveAndKeep(barrier)

    let one = try #require(bare.entering(bare.view))
    #expect(!one.isBarrier)
    #expect(bare.entering(bare.view, asBarrier: true) == nil)
    bare.core.leaveAndKeep(one)
  }

  @Test("does not go before what was posted to the background and not looked at yet")
  func posted() {
    let bare = BareCore(width: 2)
    bare.post()

    #expect(bare.entering(nil) == nil)
    #expect(bare.core.accounts.ledger.accepted == 1)
    _ = bare.core.releaseEverything()
  }

  @Test("does not begin once a shutdown has: that may have to refuse it")
  func shutdown() {
    let bare = BareCore()
    bare.core.beginShutdown(.init(drain: .seconds(1), cancel: .zero))

    #expect(bare.entering(bare.view) == nil)
    #expect(bare.core.accounts.ledger.accepted == 0)
  }

  @Test("tells the loop when it has ended, if that leaves when nothing is left, or shuts down")
  func tellsTheLoop() throws {
    let leaving = BareCore()
    leaving.core.leaveWhenIdle(true)
    let first = try #require(leaving.entering(nil))
    leaving.core.loop.forgetWish()
    leaving.core.leaveAndKeep(first)
    #expect(leaving.core.loop.isWanted)
    leaving.core.leaveWhenIdle(false)

    let ending = BareCore()
    let second = try #require(ending.entering(nil))
    ending.core.beginShutdown(.init(drain: .seconds(1), cancel: .zero))
    ending.core.loop.forgetWish()
    ending.core.leaveAndKeep(second)
    #expect(ending.core.loop.isWanted)
  }

  @Test("waits for the loop if the queue is the foreground")
  func foreground() throws {
    let dispatcher = try UVDispatcher()
    try dispatcher.start()

    #expect(try dispatcher.foreground.sync { dispatcher.isForeground })
    #expect(try dispatcher.background.sync { !dispatcher.isForeground })
    dispatcher.beginShutdown(.init(drain: .seconds(5), cancel: .zero))
  }

  @Test("is told of before its body runs, and when it has ended")
  func observed() throws {
    let log = KindLog()
    let dispatcher = try UVDispatcher(.init(observer: log))

    let inside = try dispatcher.makeQueue(label: "view", width: 1).sync { log.kinds.value }

    #expect(inside == ["enqueued", "started"])
    #expect(log.kinds.value == ["enqueued", "started", "finished(completed)"])
    dispatcher.runUntilIdle()
  }

  private func ledger(
    accepted: Int, running: Int = 0, completed: Int = 0
  ) -> Ledger {
    var ledger = Ledger()
    ledger.accepted = accepted
    ledger.running = running
    ledger.completed = completed
    return ledger
  }

  private final class KindLog: TaskObserver {
    let kinds = Box<[String]>([])

    func observe(_ event: TaskEvent) { kinds.value += ["\(event.kind)"] }
  }
}
