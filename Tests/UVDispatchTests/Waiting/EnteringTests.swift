import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

@Suite("Who calls sync where nothing waits")
struct EnteringTests {
  @Test("begins at once, as one who runs there, and gives its share back")
  func begins() {
    let bare = BareCore()
    for _ in 0..<2 {
      let caller = bare.caller(on: bare.view)
      bare.core.accept(caller)

      #expect(bare.core.enter(caller))
      #expect(bare.view.pool.queue.onCallers == 1)
      #expect(bare.core.running.count == 1)
      #expect(bare.core.ledger.running == 1)

      bare.core.finish(caller, .completed)
      #expect(bare.view.pool.queue.running == 0)
    }
  }

  @Test("runs alone if it is a barrier, and others may again when it has ended")
  func barrier() {
    let bare = BareCore(viewWidth: 2)
    let barrier = bare.core.makeTask(
      .caller(nil), on: .background, bare.view, isBarrier: true, site: .here(), parent: nil)
    let other = bare.caller(on: bare.view)
    for task in [barrier, other] { bare.core.accept(task) }

    #expect(bare.core.enter(barrier))
    #expect(!bare.core.enter(other))
    bare.core.finish(barrier, .completed)
    #expect(bare.core.enter(other))
    bare.core.finish(other, .completed)
  }

  @Test("does not go before what was posted to the background and not looked at yet")
  func posted() {
    let bare = BareCore(width: 2)
    bare.post()
    let caller = bare.caller(on: nil)
    bare.core.accept(caller)

    #expect(!bare.core.enter(caller))
    _ = bare.core.releaseEverything()
  }

  @Test("waits for the loop if the queue is the foreground")
  func foreground() {
    let bare = BareCore()
    let caller = bare.task(.caller(nil), on: .foreground)
    bare.core.accept(caller)

    #expect(!bare.core.enter(caller))
    #expect(bare.core.running.isEmpty)
  }

  @Test("is told of before its body runs")
  func observed() throws {
    let told = Told()
    let dispatcher = try UVDispatcher(.init(observer: told))

    let meanwhile = try dispatcher.makeQueue(label: "view", width: 1).sync { told.kinds.value }

    #expect(meanwhile == ["enqueued", "started"])
    dispatcher.runUntilIdle()
  }

  private final class Told: TaskObserver {
    let kinds = Box<[String]>([])

    func observe(_ event: TaskEvent) { kinds.value += ["\(event.kind)"] }
  }
}
