internal import Glibc
internal import Synchronization

/// Locks for objects that are too many, and too small, to have one each, and a place under each of them
/// for those who watch an item: few are watched, and an item has no room for them.
///
/// An object uses one of a fixed number of locks, chosen by its address. Two objects may share one;
/// so nothing that could lock again may be called inside.
///
/// A fork waits until none of them is held, so that a forked child, which may still finish an item as
/// refused, finds them free and what they guard whole.
@safe enum ItemLock {
  struct Observer {
    /// It resumes a Task, and runs no user code.
    let isAwaiter: Bool
    let call: @Sendable (Outcome) -> Void
  }

  @safe private struct Stripe {
    var mutex = unsafe pthread_mutex_t()
    /// By the item that they watch.
    var observers: [ObjectIdentifier: [Observer]] = [:]
  }

  private static let count = 64
  @safe private struct Stripes: @unchecked Sendable {
    // Written once, before anybody can see it; each mutex guards itself and what lies beside it.
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

  /// By its place in memory, and not by the property: to others the stripe would change as a whole.
  private static func mutex(
    of stripe: UnsafeMutablePointer<Stripe>
  ) -> UnsafeMutablePointer<pthread_mutex_t> {
    unsafe UnsafeMutableRawPointer(stripe).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  /// The address of the first stripe, 0 until one is needed.
  private static let address = Atomic<UInt>(0)

  /// Not by ``stripes``, once they are made: under ThreadSanitizer each look at such a global takes a
  /// lock. Another thread may hold it at a fork, and then the child would wait for ever.
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

  /// Runs `body` under the lock of `object`, with those who watch any of the items that share it.
  static func withLock<Result>(
    of object: AnyObject, _ body: (inout [ObjectIdentifier: [Observer]]) -> Result
  ) -> Result {
    let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    // Objects are 16 bytes apart or more: the low bits do not tell them apart.
    let stripe = unsafe first + Int((address >> 4) % UInt(count))
    unsafe pthread_mutex_lock(mutex(of: stripe))
    defer { unsafe pthread_mutex_unlock(mutex(of: stripe)) }
    return unsafe body(&stripe.pointee.observers)
  }
}
