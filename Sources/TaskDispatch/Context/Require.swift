/// Ends the process with `message` unless `condition` is true. For mistakes of the calling code.
///
/// Unlike `precondition`, it prints the message in a release build too. A daemon is a release build.
///
/// - Parameters:
///   - condition: No closure, since it is cheap and always evaluated.
///   - message: States the broken fact, with the value.
@inlinable @inline(__always)
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { refuse(message()) }
}

/// Ends the process with `message`, in every build.
@inline(never) @usableFromInline
package func refuse(_ message: String) -> Never {
  fatalError(message)
}
