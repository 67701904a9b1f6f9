import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Repeating timers whose bodies take longer than the time between them")
  struct OverdueTests {
    @Test("keep neither what is posted nor each other from running")
    func starveNoTask() throws {
      let dispatcher = try UVDispatcher()
      let posted = Latch(100)
      let other = Latch(3)
      let timer = dispatcher.foreground.every(.microseconds(50), catchUp: .all) {
        let end = dispatcher.now.advanced(by: .microseconds(200))
        while dispatcher.now < end {}
      }
      let slow = dispatcher.foreground.every(.milliseconds(1), catchUp: .once) { other.open() }
      try dispatcher.start()

      for _ in 0..<100 { dispatcher.foreground { posted.open() } }

      #expect(posted.wait(patience))
      #expect(other.wait(patience))
      timer.cancel()
      slow.cancel()
      dispatcher.end()
    }
  }
}
