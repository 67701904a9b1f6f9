/// The dispatcher for code that was not given one.
///
/// Prefer the initializer: `init(dispatcher:)` says what a type needs, the compiler checks it, and a test
/// passes a fake without any scope. This is for code that cannot be given one.
public enum Dispatchers {
  /// A dispatcher that was made current, and the body that was running on the thread that made it current.
  struct Scope: Sendable {
    let dispatcher: any TaskDispatcher
    let context: ObjectIdentifier?

    init(_ dispatcher: any TaskDispatcher) {
      self.dispatcher = dispatcher
      context = TaskContext.current.map { ObjectIdentifier($0) }
    }
  }

  @TaskLocal static var scope: Scope?

  private static let processDefault = Locked<(any TaskDispatcher)?>(nil)

  /// The dispatcher of the innermost ``withDispatcher(_:_:)`` or running body, else the process default.
  ///
  /// Inside a body it is the dispatcher that runs the body, unless the body has made another one current. The
  /// same holds for the Swift Task if the body is a job of one. So a body does not see the scope of the code
  /// that submitted it. Traps if there is no dispatcher at all, and says what to do.
  public static var current: any TaskDispatcher {
    if let innermost { return innermost }
    guard let dispatcher = processDefault.withLock({ $0 }) else {
      refuse(
        """
        no dispatcher here: call Dispatchers.bootstrap(_:) once at the start of the program, wrap \
        the test in withDispatcher(_:_:), or hand a dispatcher to the initializer
        """)
    }
    return dispatcher
  }

  /// The dispatcher of the innermost ``withDispatcher(_:_:)`` or running body. Nil if there is none: the
  /// process default does not count.
  package static var innermost: (any TaskDispatcher)? {
    let scope = scope
    guard let running = TaskContext.current, let link = running.link else {
      return scope?.dispatcher
    }
    // A scope from before the body began does not apply in the body. But the scope of a Swift Task applies in
    // each of its jobs, and each job is a body of its own.
    guard let scope,
      scope.context == ObjectIdentifier(running) || running.isSwiftTask
    else { return link.dispatcher }
    return scope.dispatcher
  }

  /// Sets the process default. Once, at the start of the program; a second call traps. Any thread.
  ///
  /// `dispatcher` stays alive for as long as the process lives.
  public static func bootstrap(_ dispatcher: any TaskDispatcher) {
    let isFirst = processDefault.withLock { current in
      guard current == nil else { return false }
      current = dispatcher
      return true
    }
    require(isFirst, "Dispatchers.bootstrap(_:) was called twice; the default is set once")
  }
}

/// Makes `dispatcher` the current one for `body` and the Tasks that it starts.
///
/// No other code sees it, so tests that run in parallel do not see each other's dispatchers. When `body`
/// returns or throws, the former dispatcher is current again.
public func withDispatcher<Result, Failure: Error>(
  _ dispatcher: any TaskDispatcher, _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  // `withValue` rethrows an untyped error; this keeps the type.
  let result: Swift.Result<Result, Failure> = Dispatchers.$scope.withValue(
    Dispatchers.Scope(dispatcher)
  ) {
    do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
  }
  return try result.get()
}

/// Makes `dispatcher` the current one for the async `body` and the Tasks that it starts.
///
/// When `body` returns or throws, the former dispatcher is current again.
nonisolated(nonsending) public func withDispatcher<Result>(
  _ dispatcher: any TaskDispatcher, _ body: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
  try await Dispatchers.$scope.withValue(Dispatchers.Scope(dispatcher)) { try await body() }
}
