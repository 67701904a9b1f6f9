import CPeers

/// Takes bodies and runs them on another thread.
///
/// Each conforming type writes the closure itself, in the form that its interface takes. So no subject
/// pays for a closure around a closure that a user would not write.
///
/// Subjects are never stopped: the process of a case ends when its figures are known.
protocol Subject: AnyObject, Sendable {
  /// Submits one task: `rounds` of work, if there are any, and then `counter` advances.
  func submit(_ counter: Counter, _ rounds: Int)
  /// Submits any body. For uses in which one more closure does not matter.
  func run(_ body: @escaping @Sendable () -> Void)
  /// Submits `tasks`, with at most `share` of them in flight, and waits until all have run. It is a
  /// requirement, so that each type has a loop of its own that calls its own `submit`.
  func produce(_ tasks: Int, share: Int, rounds: Int, _ counter: Counter)
}

extension Subject {
  func produce(_ tasks: Int, share: Int, rounds: Int, _ counter: Counter) {
    // A count that was seen needs no second look: each look takes the cache line from the thread that
    // advances the counter.
    var seen = 0
    for number in 0..<tasks {
      if number - seen >= share { seen = counter.wait(for: number - share + 1) }
      submit(counter, rounds)
    }
    counter.wait(for: tasks)
  }
}

/// The work of every task.
@inline(__always) func work(_ rounds: Int, _ counter: Counter) {
  if rounds > 0 { _ = cpeers_burn(rounds) }
  counter.advance()
}
