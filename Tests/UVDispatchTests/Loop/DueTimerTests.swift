import TaskDispatch
import TaskDispatchTesting
import Testing
import UVDispatch

extension OnePool {
  @Suite("A timer that is due and waits to be run")
  struct DueTimerTests {
    @Test("can still be cancelled before its start")
    func cancelled() throws {
      let dispatcher = try UVDispatcher()
      let ran = Box(0)
      let second = Box<TimerHandle?>(nil)
      let answer = Box<Cancellation?>(nil)
      dispatcher.foreground.after(.nanoseconds(1)) { answer.value = second.value?.cancel() }
      second.value = dispatcher.foreground.after(.nanoseconds(2)) { ran.increment() }

      dispatcher.runUntilIdle()

      #expect(answer.value == .beforeStart)
      #expect(ran.value == 0)
      #expect(dispatcher.ledger.balances)
    }
  }
}
