import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

@Suite("A flush of a queue, when a shutdown")
struct FlushAtTheEndTests {
  private let bare = BareCore(overflow: .reject(limit: 1))

  init() { bare.core.loopThread.claim() }

  private func flush(_ lane: Lane) {
    let queue = TaskQueue.Identity(dispatcher: bare.core.doors.dispatcher, view: nil, lane: lane)
    bare.core.addFlush(of: queue) {}
    #expect(bare.core.running.flushes.count == 1)
  }

  @Test("refuses what waited for room, has nothing more to wait for")
  func withoutRoom() {
    bare.putWithoutRoom(bare.item(on: .foreground))
    flush(.foreground)

    bare.core.beginShutdown(ShutdownPolicy())

    #expect(bare.core.running.flushes.isEmpty)
  }

  @Test("abandons what runs, has nothing more to wait for", arguments: Lane.allCases)
  func abandoned(lane: Lane) {
    bare.running(on: lane)
    flush(lane)

    bare.core.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))

    #expect(bare.core.running.flushes.isEmpty)
  }

  @Test("cancels what has not started, has nothing more to wait for")
  func cancelled() {
    bare.queued(on: .background)
    flush(.background)

    bare.core.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))

    #expect(bare.core.running.flushes.isEmpty)
  }

  @Test("has abandoned what still runs, waits for none of it", arguments: Lane.allCases)
  func begunAfterwards(lane: Lane) {
    bare.running(on: lane)
    bare.core.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))

    let queue = TaskQueue.Identity(dispatcher: bare.core.doors.dispatcher, view: nil, lane: lane)

    #expect(bare.core.unfinished(on: queue).isEmpty)
  }
}
