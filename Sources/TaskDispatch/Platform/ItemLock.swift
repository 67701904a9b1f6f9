internal import Glibc
internal import Synchronization

/// Locks for objects that are too many, and too small, to have one each. Under each lock it also keeps the
/// observers of items: few items are observed, and an item has no room for them.
///
/// An object uses one of a fixed number of locks, chosen by its address. Two objects may share one. So code
/// that could take such a lock again must not be called while one is held.
///
/// A fork waits until none of the locks is held. A forked child may still finish an item as refused; it finds
/// the locks free, and what they guard intact.
@safe enum ItemLock {
  struct Observer {
    /// Whether the call resumes a Task, and is no observer.
    let isAwaiter: Bool
    let call: @Sendable (Outcome) -> Void
  }

  @safe private struct Stripe {
    var mutex = unsafe pthread_mutex_t()
    /// The observers of each item.
    var observers: [ObjectIdentifier: [Observer]] = [:]
  }

  private static let count = 64
  @safe private struct Stripes: @unchecked Sendable {
    // Written once, before another thread can see it. Each mutex guards itself and the observers beside it.
    let first: UnsafeMutablePointer<Stripe>
  }
  private static let stripes: Stripes = {
    let first = UnsafeMutablePointer<Stripe>.allocate(capacity: count)
    for index in 0..<count {
      unsafe (first + index).initialize(to: Stripe())
      let status = unsafe pthread_mutex_init(mutex(of: first + index), nil)
      precondition(status == 0, "pthread_mutex_init refused: \(status)")
    }
    address.store(UInt(bitPattern: first), ordering: .releasing)
    let status = pthread_atfork(
      { ItemLock.lockAll() }, { ItemLock.unlockAll() }, { ItemLock.unlockAll() })
    precondition(status == 0, "pthread_atfork refused: \(status)")
    return unsafe Stripes(first: first)
  }()

  /// The mutex, by its place in memory and not by the property: through the property, other threads would see
  /// the whole stripe change.
  private static func mutex(
    of stripe: UnsafeMutablePointer<Stripe>
  ) -> UnsafeMutablePointer<pthread_mutex_t> {
    unsafe UnsafeMutableRawPointer(stripe).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  /// The address of the first stripe; 0 until one is needed.
  private static let address = Atomic<UInt>(0)

  /// The first stripe. Not read from ``stripes`` once they are made: under ThreadSanitizer, each read of such
  /// a global takes a lock. Another thread may hold that lock at a fork, and then the child would wait for
  /// ever.
  private static var first: UnsafeMutablePointer<Stripe> {
    let known = unsafe UnsafeMutablePointer<Stripe>(bitPattern: address.load(ordering: .acquiring))
    return unsafe known ?? stripes.first
  }

  private static func forEach(_ body: (UnsafeMutablePointer<pthread_mutex_t>) -> Void) {
    let first = unsafe first
    for index in 0..<count { unsafe body(mutex(of: first + index)) }
  }

  private static func lockAll() { unsafe forEach { unsafe pthread_mutex_lock($0) } }

  private static func unlockAll() { unsafe forEach { unsafe pthread_mutex_unlock($0) } }

  /// Runs `body` under the lock of `object`, with the observers of all items that share the lock.
  static func withLock<Result>(
    of object: AnyObject, _ body: (inout [ObjectIdentifier: [Observer]]) -> Result
  ) -> Result {
    let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    // Objects are at least 16 bytes apart: the low bits do not distinguish them.
    let stripe = unsafe first + Int((address >> 4) % UInt(count))
    unsafe pthread_mutex_lock(mutex(of: stripe))
    defer { unsafe pthread_mutex_unlock(mutex(of: stripe)) }
    return unsafe body(&stripe.pointee.observers)
  }
}
