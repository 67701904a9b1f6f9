import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A registration that is the last to hold its dispatcher")
  struct LastOwnerTests {
    @Test(
      "is cancelled once more by what the dispatcher held, and its cancellation returns",
      arguments: [false, true])
    func cancelledAgain(isFake: Bool) {
      let falls = Box(0)
      // On another thread: a cancellation that never returns would keep the thread of the test.
      let thread = OtherThread {
        let known = Box<Registration?>(nil)
        do {
          known.value = try Self.register(isFake: isFake) {
            known.value?.cancel()
            falls.increment()
          }
        } catch { Issue.record(error) }
        known.value?.cancel()
      }

      #expect(thread.join())
      #expect(falls.value == 1)
    }

    /// Only the returned registration holds the dispatcher. The dispatcher holds an object that calls `fall`
    /// when it is destroyed.
    private static func register(
      isFake: Bool, _ fall: @escaping @Sendable () -> Void
    ) throws -> Registration {
      let dispatcher: any EventDispatcher = isFake ? RecordingDispatcher() : try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      let held = Falling(fall)
      view { withExtendedLifetime(held) {} }
      return try dispatcher.onSignal(Signal(rawValue: 60)) { _ in }
    }
  }
}
