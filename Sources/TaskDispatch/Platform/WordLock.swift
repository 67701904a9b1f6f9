public import Synchronization

/// A lock of one word, in the memory of its owner: taking it and freeing it, while nobody else wants
/// it, is an atomic operation each, without a call.
///
/// Who finds it held looks again for a moment, for what is done under our locks is shorter than the
/// way into the kernel and back, and then sleeps. Not re-entrant.
///
/// Our own, because a `pthread_mutex_t` costs twice as much and wants memory of its own, and the
/// standard library's `Mutex` collapses under contention and is not known to ThreadSanitizer, which
/// sees the atomics of this one.
@safe @usableFromInline package struct WordLock: ~Copyable {
  /// 0: free. 1: held. 2: held, and somebody may sleep until it is free.
  @usableFromInline let word = Atomic<UInt32>(0)
  /// Where those sleep, among ``benches``.
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
      // Marked before each sleep, under the bench's lock: who frees it and sees the mark takes that
      // lock before it wakes everybody, and then the sleeper sleeps.
      let isMine = word.exchange(2, ordering: .acquiring) == 0
      if !isMine { bench.sleep() }
      bench.unlock()
      if isMine { return }
      // Who was woken looks for a while again: to sleep at once whenever another was faster made
      // everybody who frees the lock wait for the bench.
    }
  }

  @usableFromInline @inline(never) borrowing func wakeSleepers() {
    let bench = Self.benches[Int(bench)]
    bench.lock()
    bench.unlock()
    // All of them: those of another lock may sleep there as well. Without the bench's lock, which
    // they want first.
    bench.wakeAll()
  }

  /// About a microsecond: to go to sleep and to be woken takes five, and makes whoever frees it pay for
  /// half of that. With a tenth of it, threads that submit and run tasks with handles slept at every
  /// other meeting, and took twice as long.
  private static var looks: Int { 2_000 }
  /// How many locks were made.
  private static let made = Atomic<UInt32>(0)
  /// Few of so many locks are ever found held for long, so they share their benches.
  private static let benches = (0..<64).map { _ in Bench() }
}
