/// An object to hold weakly: when it is gone, every closure that captured it has been released.
final class Token: Sendable {
  /// Called in a closure, makes the closure capture the token.
  func touch() {}
}
