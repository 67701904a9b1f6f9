/// An object to hold weakly: when it is gone, every closure that captured it has been released.
package final class Token: Sendable {
  package init() {}

  /// Called in a closure, makes the closure capture the token.
  package func touch() {}
}
