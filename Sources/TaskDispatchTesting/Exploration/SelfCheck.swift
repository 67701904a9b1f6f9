internal import TaskDispatch

/// Checks whether a strategy finds a race that is known to exist.
enum SelfCheck {
  private struct Checked: Hashable {
    let strategy: ExplorationStrategy
    let isReduced: Bool
  }

  private static let passed = Locked<Set<Checked>>([])

  /// Runs the probe, once for each strategy in the life of the process. Throws if the strategy misses something.
  static func passes(
    _ strategy: ExplorationStrategy, isReduced: Bool = false
  ) throws(ExplorationError) {
    for probe in strategy.probing {
      let checked = Checked(strategy: probe, isReduced: isReduced)
      if passed.withLock({ $0.contains(checked) }) { continue }
      guard finds(probe, isReduced: isReduced) else { throw .blindStrategy(probe) }
      passed.withLock { _ = $0.insert(checked) }
    }
  }

  /// Whether `strategy` finds every outcome of the built-in scenario.
  ///
  /// Two tasks read a number, and write it back, plus one, in a second task each. If they overlap, one of the two
  /// increments is lost. To see all outcomes, a strategy must vary a move, a cancellation and a value.
  ///
  /// - Parameter isReduced: Whether the tasks' resources are declared, and redundant orders left out.
  static func finds(_ strategy: ExplorationStrategy, isReduced: Bool = false) -> Bool {
    var seen: Set<[Int]> = []
    let decisions = Decisions(isReduced ? Reduction { _ in ["sum"] } : nil)
    for var search in strategy.searches(isReduced: isReduced) {
      var left = ExplorationBudget.probe.schedules
      while left > 0, let plan = search.next() {
        left -= 1
        decisions.begin(plan, names: nil)
        seen.insert(probe(decisions))
        search.ran(decisions)
      }
    }
    return Set(seen.map { $0[0] }) == [1, 2] && Set(seen.map { $0[1] }) == [0, 1]
      && Set(seen.map { $0[2] }) == [0, 1]
  }

  private static func probe(_ decisions: Decisions) -> [Int] {
    var configuration = RecordingDispatcher.Configuration(width: 2, leftovers: .ignore)
    configuration.recordsHistory = false
    let dispatcher = RecordingDispatcher(configuration, exploredBy: decisions)
    let sum = Locked(0)
    for _ in 0..<2 {
      dispatcher.background {
        let read = sum.withLock { $0 }
        dispatcher.background { sum.withLock { $0 = read + 1 } }
      }
    }
    // The scenario is ours: nothing in it throws.
    _ = try? dispatcher.runUntilIdle()
    let wasCancelled = dispatcher.background.submit {}.cancel() == .beforeStart
    let value = dispatcher.choose([0, 1], "probe")
    _ = try? dispatcher.runUntilIdle()
    _ = try? dispatcher.finish()
    return [sum.withLock { $0 }, wasCancelled ? 1 : 0, value]
  }
}
