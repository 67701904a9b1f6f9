/// A reference from a part of an object to that object. It is not counted: the object owns the part, and outlives
/// every use of it.
///
/// A counted reference would keep the object alive for ever. A weak one, or an `unowned` one that is checked, would
/// change a reference count with each use.
@safe @usableFromInline package struct Backlink<Object: AnyObject>: ~Copyable {
  @usableFromInline unowned(unsafe) var held: Object?

  @inlinable package init() {}

  /// Sets the object. Once, before other code uses the part.
  @inlinable package mutating func set(_ object: Object) { unsafe held = object }

  @inlinable package var object: Object {
    @inline(__always) get { unsafe held! }
  }
}
