/// The dispatcher that code finds when nobody handed it one.
///
/// Prefer the initializer: `init(dispatcher:)` says what a type needs, the compiler checks it, and a
/// test passes a fake without any scope. This is for code that cannot be handed one.
public enum Dispatchers {
  @TaskLocal package static var scoped: (any TaskDispatcher)?

  private static let processDefault = Locked<(any TaskDispatcher)?>(nil)

  /// The dispatcher of the innermost ``withDispatcher(_:_:)``, else the process default.
  ///
  /// Traps if there is neither, and says what to do.
  public static var current: any TaskDispatcher {
    if let scoped { return scoped }
    guard let dispatcher = processDefault.withLock({ $0 }) else {
      refuse(
        """
        no dispatcher here: call Dispatchers.bootstrap(_:) once at the start of the program, wrap \
        the test in withDispatcher(_:_:), or hand a dispatcher to the initializer
        """)
    }
    return dispatcher
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
  let result: Swift.Result<Result, Failure> = Dispatchers.$scoped.withValue(dispatcher) {
    do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
  }
  return try result.get()
}

/// As the synchronous form, for a `body` that suspends.
nonisolated(nonsending) public func withDispatcher<Result>(
  _ dispatcher: any TaskDispatcher, _ body: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
  try await Dispatchers.$scoped.withValue(dispatcher) { try await body() }
}
