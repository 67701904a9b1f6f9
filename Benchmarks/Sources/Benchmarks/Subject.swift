/// Something that takes closures and runs them on other threads.
struct Subject: Sendable {
  let name: String
  /// Starts what it needs, hands over a way to submit, and stops it all when `use` returns.
  let run:
    @Sendable (_ use: (@escaping @Sendable (consuming @escaping Body) -> Void) -> Void) -> Void
}

typealias Body = @Sendable () -> Void
