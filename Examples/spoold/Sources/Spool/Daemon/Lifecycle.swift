/// Whom a daemon tells how far it is: the service manager that has started it, if one has.
///
/// Called on the foreground. Each of them must return at once.
public struct Lifecycle: Sendable {
  /// It does what it is there for, from now on; also after it has taken over a new configuration.
  public var ready: @Sendable () -> Void
  /// It takes over a new configuration. ``ready`` follows.
  public var reloading: @Sendable () -> Void
  /// It has begun to end, and this is what it still does.
  public var stopping: @Sendable (_ status: String) -> Void
  /// What it does now, in a line for a person.
  public var status: @Sendable (_ status: String) -> Void

  /// Silent, unless it is told otherwise.
  public init(
    ready: @escaping @Sendable () -> Void = {},
    reloading: @escaping @Sendable () -> Void = {},
    stopping: @escaping @Sendable (_ status: String) -> Void = { _ in },
    status: @escaping @Sendable (_ status: String) -> Void = { _ in }
  ) {
    self.ready = ready
    self.reloading = reloading
    self.stopping = stopping
    self.status = status
  }
}
