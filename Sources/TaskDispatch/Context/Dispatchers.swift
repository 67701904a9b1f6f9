/// The dispatcher that code finds when nobody handed it one.
///
/// Prefer the initializer: `init(dispatcher:)` says what a type needs, the compiler checks it, and a
/// test passes a fake without any scope. This is for code that cannot be handed one.
public enum Dispatchers {
  /// A dispatcher that was made current, and the body that was running on the thread that did.
  struct Scope: Sendable {
    let dispatcher: any TaskDispatcher
    let frame: ObjectIdentifier?

    init(_ dispatcher: any TaskDispatcher) {
      self.dispatcher = dispatcher
      frame = TaskFrame.current.map { ObjectIdentifier($0) }
    }
  }

  @TaskLocal static var scope: Scope?

  private static let processDefault = Locked<(any TaskDispatcher)?>(nil)

  /// The dispatcher of the innermost ``withDispatcher(_:_:)`` or running body; else the process
  /// default.
  ///
  /// Inside a body it is the dispatcher that runs the body, unless the body, or the Swift Task whose
  /// job it is, has made another current. So a body does not see the scope of whoever submitted it.
  /// Traps if there is none at all, and says what to do.
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

  /// As ``current``, without the process default. Nil if there is none.
  package static var innermost: (any TaskDispatcher)? {
    let scope = scope
    guard let running = TaskFrame.current, let link = running.link else {
      return scope?.dispatcher
    }
    // A scope from before the body began is outside of it. What a Swift Task has made current stays
    // so from job to job, each of which is a body of its own.
    guard let scope,
      scope.frame == ObjectIdentifier(running) || running.isSwiftTask
    else { return link.dispatcher }
    return scope.dispatcher
  }

  /// Sets the process default. Once, at the start of the program; a second call traps.
  ///
  /// Keeps `dispatcher` for as long as the process lives.
  public static func bootstrap(_ dispatcher: any TaskDispatcher) {
    let isFirst = processDefault.withLock { current in
      guard current == nil else { return false }
      current = dispatcher
      return true
    }
    require(isFirst, "Dispatchers.bootstrap(_:) was called twice; the default is set once")
  }
}

/// Makes `dispatcher` the current one for `body`, and for the Tasks that it starts, and for nobody
/// else: tests that run beside each other never see each other's.
///
/// What was current before is so again afterwards, also if `body` throws.
public func withDispatcher<Result, Failure: Error>(
  _ dispatcher: any TaskDispatcher, _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  // `withValue` rethrows any error; this hands the typed one through.
  let result: Swift.Result<Result, Failure> = Dispatchers.$scope.withValue(
    Dispatchers.Scope(dispatcher)
  ) {
    do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
  }
  return try result.get()
}

/// As the synchronous form, for a `body` that suspends.
nonisolated(nonsending) public func withDispatcher<Result>(
  _ dispatcher: any TaskDispatcher, _ body: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
  try await Dispatchers.$scope.withValue(Dispatchers.Scope(dispatcher)) { try await body() }
}
