internal import Glibc
internal import Synchronization

/// Locks for objects that are too many, and too small, to have one each.
///
/// An object uses one of a fixed number of locks, chosen by its address. Two objects may share one;
/// so nothing that could lock again may be called inside.
///
/// A fork waits until none of them is held, so that a forked child, which may still finish an item as
/// refused, finds them free and what they guard whole.
@safe enum ItemLock {
  private static let count = 64
  @safe private struct Stripes: @unchecked Sendable {
    // Written once, before anybody can see it; each mutex guards itself.
    let locks: UnsafeMutablePointer<pthread_mutex_t>
  }
  private static let stripes: Stripes = {
    let locks = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: count)
    for index in 0..<count {
      unsafe (locks + index).initialize(to: pthread_mutex_t())
      let status = unsafe pthread_mutex_init(locks + index, nil)
      precondition(status == 0, "pthread_mutex_init refused: \(status)")
    }
    address.store(UInt(bitPattern: locks), ordering: .releasing)
    let status = pthread_atfork(
      { ItemLock.lockAll() }, { ItemLock.unlockAll() }, { ItemLock.unlockAll() })
    precondition(status == 0, "pthread_atfork refused: \(status)")
    return unsafe Stripes(locks: locks)
  }()

  /// The address of the first lock, 0 until one is needed.
  private static let address = Atomic<UInt>(0)

  /// Not by ``stripes``, once they are made: under ThreadSanitizer each look at such a global takes a
  /// lock. Another thread may hold it at a fork, and then the child would wait for ever.
  private static var locks: UnsafeMutablePointer<pthread_mutex_t> {
    let known = unsafe UnsafeMutablePointer<pthread_mutex_t>(
      bitPattern: address.load(ordering: .acquiring))
    return unsafe known ?? stripes.locks
  }

  private static func forEach(_ body: (UnsafeMutablePointer<pthread_mutex_t>) -> Void) {
    let locks = unsafe locks
    for index in 0..<count { unsafe body(locks + index) }
  }

  private static func lockAll() { unsafe forEach { unsafe pthread_mutex_lock($0) } }

  private static func unlockAll() { unsafe forEach { unsafe pthread_mutex_unlock($0) } }

  /// Runs `body` under the lock of `object`.
  static func withLock<Result>(of object: AnyObject, _ body: () -> Result) -> Result {
    let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    // Objects are 16 bytes apart or more: the low bits do not tell them apart.
    let lock = unsafe locks + Int((address >> 4) % UInt(count))
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return body()
  }
}
