public import Synchronization

/// A place for an object that is made at the first request. If two threads ask at the same time, both get the
/// same object. Asking takes no lock.
///
/// It replaces `AtomicLazyReference`, which Swift 6.3.1 does not specialise: that looks types up by name at
/// each load, which takes ten times as long as the rest of what an actor asks its executor for.
@safe @usableFromInline package struct LazyObject<Object: AnyObject & Sendable>: ~Copyable, Sendable
{
  /// The address of the object, to which this holds a strong reference. 0 while there is none.
  @usableFromInline let address = Atomic<UInt>(0)

  @inlinable package init() {}

  @inlinable deinit {
    if let held = unsafe held { unsafe held.release() }
  }

  /// The object. If there is none, `make` makes it. If another thread is faster, the object made here is
  /// released. Any thread.
  @inlinable package func made(by make: () -> Object) -> Object {
    if let held = unsafe held { return unsafe held.takeUnretainedValue() }
    let new = unsafe Unmanaged.passRetained(make())
    let (isFirst, former) = unsafe address.compareExchange(
      expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
    if isFirst { return unsafe new.takeUnretainedValue() }
    unsafe new.release()
    return unsafe Self.object(at: former)!.takeUnretainedValue()
  }

  @inlinable var held: Unmanaged<Object>? {
    unsafe Self.object(at: address.load(ordering: .acquiring))
  }

  @inlinable static func object(at address: UInt) -> Unmanaged<Object>? {
    unsafe UnsafeRawPointer(bitPattern: address).map { unsafe Unmanaged.fromOpaque($0) }
  }
}
