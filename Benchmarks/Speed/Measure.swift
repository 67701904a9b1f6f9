internal import Glibc

/// Times `body` and prints nanoseconds an item: the median round, and the range.
///
/// Counts the time that the processor spent on this process, so that a busy machine disturbs less.
///
/// - Parameters:
///   - items: How many of the thing that is measured one `body` does.
///   - repeats: How often a round does it.
///   - prepare: Puts in place what the next `body` works on. Not timed.
func measure(
  _ name: String, items: Int, repeats: Int = 1, rounds: Int = 9, prepare: () throws -> Void,
  body: () throws -> Void
) rethrows {
  let costs = try (0..<rounds).map { _ in
    var spent = 0.0
    for _ in 0..<repeats {
      try prepare()
      let start = processorTime()
      try body()
      spent += processorTime() - start
    }
    return spent / Double(items * repeats)
  }.sorted()
  let median = costs[rounds / 2]
  print(
    "\(name): \(oneDecimal(median)) ns, \(oneDecimal(1_000 / median)) million a second",
    "(\(oneDecimal(costs[0])) to \(oneDecimal(costs[rounds - 1])) ns; \(rounds) rounds of \(items * repeats))"
  )
}

func measure(_ name: String, items: Int, body: () throws -> Void) rethrows {
  try measure(name, items: items, prepare: {}, body: body)
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
