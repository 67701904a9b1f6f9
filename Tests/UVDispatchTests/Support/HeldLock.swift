import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// Runs `body` while another thread has the lock of `dispatcher`. That thread unlocks it afterwards.
func withLockHeldElsewhere<Value>(
  _ dispatcher: UVDispatcher, _ body: () throws -> Value
) rethrows -> Value {
  let (held, gate) = (Latch(), Latch())
  let holder = OtherThread {
    dispatcher.engine.withCore { _ in
      held.open()
      gate.hold(patience)
    }
  }
  #expect(held.wait(patience))
  defer {
    gate.open()
    #expect(holder.join())
  }
  return try body()
}
