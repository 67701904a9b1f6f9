package import Scheduling

/// A lock: one step where the real one has several.
@safe @usableFromInline package struct WordLock: ~Copyable, @unchecked Sendable {
  package let simulated: SimulatedLock

  @usableFromInline package init(_ file: StaticString = #fileID, _ line: UInt = #line) {
    simulated = SimulatedLock(file, line)
  }

  deinit { precondition(simulated.isFree, "a lock was destroyed while it was held") }

  @usableFromInline package borrowing func lock() { Simulation.shared.lock(simulated) }

  @usableFromInline package borrowing func unlock() { Simulation.shared.unlock(simulated) }
}
