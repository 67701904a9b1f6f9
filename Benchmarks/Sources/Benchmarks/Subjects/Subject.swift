import CPeers

/// Something that takes bodies and runs them elsewhere.
///
/// Each conforming type writes the closure itself, in the form that its interface takes: nobody pays
/// for a closure around a closure that a user would not write.
///
/// Nobody is stopped: the process of a case ends when its figures are known.
protocol Subject: AnyObject, Sendable {
  /// Submits one task: `rounds` of work, if there are any, and then `counter` advances.
  func submit(_ counter: Counter, _ rounds: Int)
  /// Submits any body: where a closure more does not matter.
  func run(_ body: @escaping @Sendable () -> Void)
  /// Submits `tasks`, with at most `share` of them in flight, and waits until all have run. A
  /// requirement, so that each type has a loop of its own that calls its own `submit`.
  func produce(_ tasks: Int, share: Int, rounds: Int, _ counter: Counter)
}

extension Subject {
  func produce(_ tasks: Int, share: Int, rounds: Int, _ counter: Counter) {
    // What has been seen already needs no look: each look takes the line from who advances it.
    var seen = 0
    for number in 0..<tasks {
      if number - seen >= share { seen = counter.wait(for: number - share + 1) }
      submit(counter, rounds)
    }
    counter.wait(for: tasks)
  }
}

/// What every task does.
@inline(__always) func work(_ rounds: Int, _ counter: Counter) {
  if rounds > 0 { _ = cpeers_burn(rounds) }
  counter.advance()
}
