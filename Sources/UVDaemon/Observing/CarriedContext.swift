#if Daemon
  public import ServiceContextModule

  extension ServiceContext {
    /// Returns a closure that calls `body` in the service context that is current now. A task of a dispatcher is no
    /// Swift Task, and has no context of its own.
    ///
    /// ```swift
    /// dispatcher.background.async(label: "hash", ServiceContext.carry { hash(path) })
    /// ```
    ///
    /// If there is no current context, it returns `body` itself.
    public static func carry<Result>(
      _ body: @escaping @Sendable () throws -> Result
    ) -> @Sendable () throws -> Result {
      guard let context = current else { return body }
      return { try ServiceContext.$current.withValue(context) { try body() } }
    }

    /// Returns a closure that calls `body`, which does not throw, in the service context that is current now.
    public static func carry<Result>(
      _ body: @escaping @Sendable () -> Result
    ) -> @Sendable () -> Result {
      guard let context = current else { return body }
      return { ServiceContext.$current.withValue(context) { body() } }
    }
  }
#endif
