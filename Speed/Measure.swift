/// Times `body` and prints nanoseconds an item: the median round, and the range.
///
/// - Parameters:
///   - items: How many of the thing that is measured one `body` does.
///   - prepare: Makes what `body` works on; not timed, and neither is letting it go.
func measure<Subject>(
  _ name: String, items: Int, rounds: Int = 7, prepare: () throws -> Subject,
  _ body: (Subject) throws -> Void
) rethrows {
  let clock = ContinuousClock()
  let costs = try (0..<rounds).map { _ in
    let subject = try prepare()
    let elapsed = try clock.measure { try body(subject) }.components
    return (Double(elapsed.seconds) * 1e9 + Double(elapsed.attoseconds) / 1e9) / Double(items)
  }.sorted()
  let median = costs[rounds / 2]
  print(
    "\(name): \(oneDecimal(median)) ns, \(oneDecimal(1_000 / median)) million a second",
    "(\(oneDecimal(costs[0])) to \(oneDecimal(costs[rounds - 1])) ns; \(rounds) rounds of \(items))"
  )
}

func measure(_ name: String, items: Int, rounds: Int = 7, _ body: () throws -> Void) rethrows {
  try measure(name, items: items, rounds: rounds, prepare: {}) { _ in try body() }
}

private func oneDecimal(_ value: Double) -> String {
  let tenths = Int(value * 10 + 0.5)
  return "\(tenths / 10).\(tenths % 10)"
}
