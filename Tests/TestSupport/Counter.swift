internal import Synchronization

/// A counter for any thread. None of them ever sleeps over it.
package final class Counter: Sendable {
  private let count = Atomic(0)

  package init() {}

  package var value: Int { count.load(ordering: .acquiring) }

  package func increment() { count.add(1, ordering: .acquiringAndReleasing) }
}

/// One thread raises it, and other threads ask for it. None of them ever sleeps over it.
package final class Flag: Sendable {
  private let value = Atomic(false)

  package init() {}

  package var isRaised: Bool { value.load(ordering: .acquiring) }

  package func raise() { value.store(true, ordering: .releasing) }

  package func lower() { value.store(false, ordering: .releasing) }
}
