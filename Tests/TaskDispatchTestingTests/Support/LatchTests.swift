import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A latch")
struct LatchTests {
  @Test("opens after so many calls, for the threads that wait and for later ones")
  func opens() {
    let latch = Latch(2)
    let waiting = OtherThread { #expect(latch.wait(patience)) }
    latch.open()
    #expect(!latch.isOpen)
    #expect(latch.missing == 1)

    latch.open()

    #expect(waiting.join())
    #expect(latch.wait(.zero))
    latch.open()
    #expect(latch.missing == -1)
  }

  @Test(
    "is open from the start without a count, and can be opened for ever", arguments: [0, -1, .min])
  func isOpen(count: Int) {
    let latch = Latch(count)
    #expect(latch.wait(.zero))
    latch.open()
    #expect(latch.isOpen)
  }

  @Test(
    "keeps nothing of a wait that was in vain",
    arguments: [Duration.zero, .seconds(-1), .nanoseconds(1)])
  func keepsNothing(timeout: Duration) {
    let latch = Latch()
    for _ in 0..<100 { #expect(!latch.wait(timeout)) }
    #expect(latch.waiting == 0)
  }
}
