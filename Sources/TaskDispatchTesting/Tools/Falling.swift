/// Calls a closure when it is released.
package final class Falling: Sendable {
  private let fall: @Sendable () -> Void

  package init(_ fall: @escaping @Sendable () -> Void) { self.fall = fall }

  deinit { fall() }
}
