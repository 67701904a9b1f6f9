/// Watches what one handler of a descriptor is told: what it asked for, and nothing else.
public final class ReadinessJudge: Sendable {
  public let calls: HandlerJudge
  private let interest: UInt8

  /// - Parameter interest: The bits that it asks for.
  public init(interest: UInt8, name: String, court: Court) {
    self.interest = interest
    calls = HandlerJudge(name, court: court)
  }

  /// A call of it, with these bits.
  public func told(_ bits: UInt8) {
    calls.begins()
    if bits == 0 { report("was told of nothing") }
    if bits & ~interest != 0 {
      report("asked for \(interest) and was told of \(bits)")
    }
  }

  private func report(_ text: String) { calls.court.report(.events, nil, "\(calls.name) \(text)") }
}
