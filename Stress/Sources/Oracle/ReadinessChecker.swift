/// Checks what one handler of a descriptor is told: only what it asked for.
public final class ReadinessChecker: Sendable {
  public let calls: HandlerChecker
  private let interest: UInt8

  /// - Parameter interest: The bits that the handler asks for.
  public init(interest: UInt8, name: String, violations: ViolationLog) {
    self.interest = interest
    calls = HandlerChecker(name, violations: violations)
  }

  /// The handler is called with these bits.
  public func told(_ bits: UInt8) {
    calls.begins()
    if bits == 0 { report("was told of nothing") }
    if bits & ~interest != 0 {
      report("asked for \(interest) and was told of \(bits)")
    }
  }

  private func report(_ text: String) {
    calls.violations.report(.events, nil, "\(calls.name) \(text)")
  }
}
