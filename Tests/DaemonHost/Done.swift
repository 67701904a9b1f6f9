#if Daemon
  import Synchronization

  /// How many jobs were done.
  final class Done: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .acquiring) }

    func count() { number.add(1, ordering: .acquiringAndReleasing) }
  }
#endif
