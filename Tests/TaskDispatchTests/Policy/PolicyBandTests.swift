import Testing

@testable import TaskDispatch

@Suite("The band of a priority")
struct PolicyBandTests {
  @Test("is the highest that the priority reaches, for each of them")
  func isTheHighestReached() {
    for value in UInt8.min...UInt8.max {
      let band = PriorityBand(TaskPriority(rawValue: value))
      let reached = PriorityBand.allCases.filter { $0.priority.rawValue <= value }
      #expect(band == reached.first ?? .lowest, "priority \(value)")
    }
  }

  @Test("is the one that the priority stands for")
  func standsForItsPriority() {
    for band in PriorityBand.allCases { #expect(PriorityBand(band.priority) == band) }
    #expect(PriorityBand(.userInitiated) == .high)
    #expect(PriorityBand(.utility) == .low)
  }

  @Test("compares as urgency does")
  func comparesByUrgency() {
    #expect(PriorityBand.allCases.sorted() == [.lowest, .low, .medium, .high])
    #expect(PriorityBand.allCases.map(\.index) == [0, 1, 2, 3])
  }
}
