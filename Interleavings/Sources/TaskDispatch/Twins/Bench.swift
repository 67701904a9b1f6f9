internal import Scheduling

/// A place where threads sleep until another thread wakes them.
@safe final class Bench: @unchecked Sendable {
  private let mutex: SimulatedLock
  private let condition: SimulatedPlace

  init(_ file: StaticString = #fileID, _ line: UInt = #line) {
    mutex = SimulatedLock(file, line)
    condition = SimulatedPlace(file, line)
  }

  func lock() { Simulation.shared.lock(mutex) }

  func unlock() { Simulation.shared.unlock(mutex) }

  func sleep(until deadline: Int64? = nil) {
    Simulation.shared.sleep(at: condition, freeing: mutex, until: deadline == .max ? nil : deadline)
  }

  func wakeAll() { Simulation.shared.wakeAll(at: condition) }
}
