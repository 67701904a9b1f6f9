/// Opens a latch when the last body that captures it has been released.
package final class Canary: Sendable {
  private let onRelease: Latch

  package init(_ onRelease: Latch) { self.onRelease = onRelease }

  deinit { onRelease.open() }
}

/// A body that does `work`, and opens `latch` when it is released.
package func body(
  releasing latch: Latch, _ work: @escaping @Sendable () -> Void = {}
) -> @Sendable () -> Void {
  let canary = Canary(latch)
  return {
    withExtendedLifetime(canary) { work() }
  }
}
