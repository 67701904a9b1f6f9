#if Daemon
  public import ServiceContextModule

  extension ServiceContext {
    /// A body that runs in the context that is current now: a task of a dispatcher is no Swift Task,
    /// and has none of its own.
    ///
    /// ```swift
    /// dispatcher.background(label: "hash", ServiceContext.carry { hash(path) })
    /// ```
    public static func carry<Result>(
      _ body: @escaping @Sendable () throws -> Result
    ) -> @Sendable () throws -> Result {
      guard let context = current else { return body }
      return { try ServiceContext.$current.withValue(context) { try body() } }
    }

    /// As the other one, of a body that does not throw.
    public static func carry<Result>(
      _ body: @escaping @Sendable () -> Result
    ) -> @Sendable () -> Result {
      guard let context = current else { return body }
      return { ServiceContext.$current.withValue(context) { body() } }
    }
  }
#endif
