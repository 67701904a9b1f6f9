public import Synchronization

/// A lock of one word, in the memory of its owner. Not re-entrant.
///
/// Without contention, taking it and freeing it are one atomic operation each, without a call. A thread that
/// finds the lock held first tries again for a moment, and then sleeps: what is done under our locks is
/// shorter than the way into the kernel and back.
///
/// It is our own for two reasons. A `pthread_mutex_t` costs twice as much, and needs memory of its own. The
/// standard library's `Mutex` collapses under contention, and ThreadSanitizer does not know it; it sees the
/// atomics of this lock.
@safe @usableFromInline package struct WordLock: ~Copyable {
  /// 0: free. 1: held. 2: held, and threads may sleep until it is free.
  @usableFromInline let word = Atomic<UInt32>(0)
  /// The index of the bench among ``benches`` where those threads sleep.
  private let bench = WordLock.made.wrappingAdd(1, ordering: .relaxed).oldValue % 64

  @usableFromInline package init() {}

  deinit {
    precondition(word.load(ordering: .relaxed) == 0, "a lock was destroyed while it was held")
  }

  @inlinable @inline(__always) package borrowing func lock() {
    let (isMine, _) = word.compareExchange(
      expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
    if !isMine { lockSlowly() }
  }

  @inlinable @inline(__always) package borrowing func unlock() {
    if word.exchange(0, ordering: .releasing) == 2 { wakeSleepers() }
  }

  @usableFromInline @inline(never) borrowing func lockSlowly() {
    while true {
      for _ in 0..<Self.looks where word.load(ordering: .relaxed) == 0 {
        let (isMine, _) = word.compareExchange(
          expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
        if isMine { return }
      }
      let bench = Self.benches[Int(bench)]
      bench.lock()
      // The thread marks the lock before each sleep, under the bench's lock. A thread that frees the lock and
      // sees the mark takes the bench's lock before it wakes the sleepers. So by then this thread sleeps.
      let isMine = word.exchange(2, ordering: .acquiring) == 0
      if !isMine { bench.sleep() }
      bench.unlock()
      if isMine { return }
      // A woken thread tries again for a moment. When it slept at once if another thread was faster, every
      // thread that freed the lock waited for the bench.
    }
  }

  @usableFromInline @inline(never) borrowing func wakeSleepers() {
    let bench = Self.benches[Int(bench)]
    bench.lock()
    bench.unlock()
    // Wakes all of them: threads that wait for another lock may sleep there as well. Without the bench's
    // lock, which they take first.
    bench.wakeAll()
  }

  /// How often to try before sleeping: about a microsecond. To go to sleep and to be woken takes five, and
  /// costs the thread that frees the lock half of that. With a tenth of this number, threads that submit and
  /// run tasks with handles slept at every other contention, and took twice as long.
  private static var looks: Int { 2_000 }
  /// The number of locks made so far.
  private static let made = Atomic<UInt32>(0)
  /// Few locks are ever held for long, so locks share benches.
  private static let benches = (0..<64).map { _ in Bench() }
}
