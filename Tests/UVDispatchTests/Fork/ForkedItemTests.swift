import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("While other threads are about their items and groups,")
  struct ForkedItemTests {
    @Test("a forked child is refused what it submits with a handle and a group, each time")
    func refused() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let end = EndOfDispatcher()
          try submitWhileForking(telling: end)
          #expect(end.isGone.wait(patience))
          // The worker that released the dispatcher last may still be doing that. The leak checker does not
          // find what Swift keeps for weak references, so the process must not end before the worker is done.
          #expect(end.thread.value?.waitUntilItRests() == true)
        }
      }
    }
  }
}

/// Tells when a dispatcher is gone, and which thread has released it last.
private final class EndOfDispatcher: Sendable {
  let isGone = Latch()
  let thread = Box<KernelThread?>(nil)

  /// A body that never runs holds it, so it is destroyed with the dispatcher.
  final class Witness: Sendable {
    let end: EndOfDispatcher

    init(_ end: EndOfDispatcher) { self.end = end }

    deinit {
      end.thread.value = .current
      end.isGone.open()
    }
  }
}

/// Forks again and again, beside threads that do the same as the child. `end` tells when the dispatcher is
/// gone.
private func submitWhileForking(telling end: EndOfDispatcher) throws {
  let dispatcher = try UVDispatcher()
  let group = WorkGroup()
  rehearse(group)
  let isOver = Latch()
  // These threads are nearly always at the lock of an item or of a group. There are none under ThreadSanitizer:
  // Swift then takes a lock for each look at a global. If such a thread held that lock at the fork, the child
  // could never take it.
  let others = (0..<(ThisProcess.isUnderThreadSanitizer ? 0 : 2)).map { _ in
    OtherThread {
      while !isOver.isOpen {
        for _ in 0..<100 {
          group.enter()
          group.leave()
        }
        _ = dispatcher.background.submit(group: group) {}.outcomeIfFinished
      }
    }
  }

  var ends: [CInt] = []
  for _ in 0..<100 {
    ends.append(
      statusOfForkedChild {
        for _ in 0..<70 {
          let handle = dispatcher.background.submit(group: group) {}
          if handle.outcomeIfFinished != .refused(.forkedChild) { _exit(9) }
        }
      })
  }

  isOver.open()
  for other in others { #expect(other.join()) }
  #expect(ends == [CInt](repeating: 0, count: 100))
  dispatcher.runUntilIdle()
  let witness = EndOfDispatcher.Witness(end)
  dispatcher.foreground { withExtendedLifetime(witness) {} }
}

/// Does once what a child will do. Swift looks up a type under a lock when the type is first needed. If another
/// thread of the parent held that lock at the fork, the child would wait for ever.
private func rehearse(_ group: WorkGroup) {
  guard let ended = try? UVDispatcher() else { return }
  ended.beginShutdown()
  for _ in 0..<2 {
    let handle = ended.background.submit(group: group) {}
    #expect(handle.outcomeIfFinished != .refused(.forkedChild))
  }
  ended.runUntilIdle()
}
