package import Scheduling

extension Monitor {
  package var simulated: SimulatedLock { gate.simulated }
}
