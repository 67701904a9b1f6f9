internal import Glibc

/// Times `body` and prints nanoseconds an item: the median round, and the range.
///
/// Counts the time that the processor spent on this process, so that a busy machine disturbs less.
///
/// - Parameters:
///   - items: How many of the thing that is measured one `body` does.
///   - prepare: Makes what `body` works on; not timed, and neither is letting it go.
func measure<Subject>(
  _ name: String, items: Int, rounds: Int = 9, prepare: () throws -> Subject,
  body: (Subject) throws -> Void
) rethrows {
  let costs = try (0..<rounds).map { _ in
    let subject = try prepare()
    let start = processorTime()
    try body(subject)
    return (processorTime() - start) / Double(items)
  }.sorted()
  let median = costs[rounds / 2]
  print(
    "\(name): \(oneDecimal(median)) ns, \(oneDecimal(1_000 / median)) million a second",
    "(\(oneDecimal(costs[0])) to \(oneDecimal(costs[rounds - 1])) ns; \(rounds) rounds of \(items))"
  )
}

func measure(_ name: String, items: Int, rounds: Int = 9, body: () throws -> Void) rethrows {
  try measure(name, items: items, rounds: rounds, prepare: {}, body: { _ in try body() })
}

/// Nanoseconds.
private func processorTime() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

private func oneDecimal(_ value: Double) -> String {
  let tenths = Int(value * 10 + 0.5)
  return "\(tenths / 10).\(tenths % 10)"
}
