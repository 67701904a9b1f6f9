/// As `precondition`, for what a caller can get wrong: it also says what is wrong in a release
/// build, where `precondition` drops its message. A daemon is a release build.
///
/// - Parameters:
///   - condition: Not a closure: it is cheap, and always evaluated.
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
