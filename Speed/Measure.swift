/// Times `body` and prints nanoseconds an item: the median round, and the range.
///
/// - Parameter items: How many of the thing that is measured one `body` does.
func measure(_ name: String, items: Int, rounds: Int = 7, _ body: () throws -> Void) rethrows {
  let clock = ContinuousClock()
  let costs = try (0..<rounds).map { _ in
    let elapsed = try clock.measure(body).components
    return (Double(elapsed.seconds) * 1e9 + Double(elapsed.attoseconds) / 1e9) / Double(items)
  }.sorted()
  print("\(name): \(oneDecimal(costs[rounds / 2])) ns",
    "(\(oneDecimal(costs[0])) to \(oneDecimal(costs[rounds - 1])); \(rounds) rounds of \(items))")
}

private func oneDecimal(_ value: Double) -> String {
  let tenths = Int(value * 10 + 0.5)
  return "\(tenths / 10).\(tenths % 10)"
}
