/// Calls a closure when it is released.
final class Falling: Sendable {
  private let fall: @Sendable () -> Void

  init(_ fall: @escaping @Sendable () -> Void) { self.fall = fall }

  deinit { fall() }
}
