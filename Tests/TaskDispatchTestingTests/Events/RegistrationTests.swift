import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A registration")
struct RegistrationTests {
  @Test("lets go of what it captured without its lock: a deinit may cancel it, and ask about it")
  func release() async {
    await #expect(processExitsWith: .success) {
      // A process that hangs must not outlive its test.
      alarm(20)
      let known = Box<Registration?>(nil)
      let wasCancelled = Box<Bool?>(nil)
      known.value = registration {
        known.value?.cancel()
        wasCancelled.value = known.value?.isCancelled
      }

      known.value?.cancel()

      exit(wasCancelled.value == true ? 0 : 1)
    }
  }

  @Test("may be cancelled again by what it cancels, and counts as cancelled after that")
  func again() {
    let known = Box<Registration?>(nil)
    let answers = Box([Bool]())
    let calls = Box(0)
    let registration = Registration {
      calls.increment()
      guard calls.value == 1 else { return }
      known.value?.cancel()
      answers.change { $0.append(known.value?.isCancelled == true) }
    }
    known.value = registration

    registration.cancel()

    #expect(registration.isCancelled)
    #expect(calls.value == 2)
    #expect(answers.value == [true])
  }
}

/// A registration that is the only owner of an object, which calls `atEnd` when it is destroyed.
private func registration(_ atEnd: @escaping @Sendable () -> Void) -> Registration {
  let captured = AtEnd(atEnd)
  return Registration { withExtendedLifetime(captured) {} }
}

/// Calls a closure when the last reference to it goes.
final class AtEnd: Sendable {
  private let perform: @Sendable () -> Void

  init(_ perform: @escaping @Sendable () -> Void) { self.perform = perform }

  deinit { perform() }
}
