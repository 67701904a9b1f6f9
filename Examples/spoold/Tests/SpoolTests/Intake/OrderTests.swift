import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("The order in which workers and the loop come to run")
struct OrderTests {
  @Test("does not matter to the manifest", arguments: 1...10 as ClosedRange<UInt64>)
  func orderDoesNotMatter(seed: UInt64) throws {
    let scratch = Scratch()
    for number in 0..<40 { try scratch.write("spool/\(number % 5)/\(number)", "\(number)") }
    let trial = try Trial(in: scratch, limits: .init(files: 1 + Int(seed % 7), entries: 9))
    var dice = Dice(seed: seed)

    while let task = trial.fake.runnableTasks.randomElement(using: &dice) {
      if task.task.lane == .foreground {
        try trial.fake.runNextForegroundTask()
      } else {
        try trial.fake.runTask(task.task.id)
      }
    }

    #expect(try trial.finish().read.files == 40)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test("never has more on the way than the limits allow")
  func staysWithinLimits() throws {
    let scratch = Scratch()
    for number in 0..<60 { try scratch.write("spool/\(number % 3)/\(number)", "\(number)") }
    let trial = try Trial(in: scratch, limits: .init(files: 4, entries: 10))
    var most = 0

    // Workers wait for the loop as long as they can, so that as much as possible is under way.
    while !trial.fake.isIdle {
      while trial.fake.runnableTasks.contains(where: { $0.task.lane == .foreground }) {
        try trial.fake.runNextForegroundTask()
      }
      let reads = trial.fake.pendingTasks.filter { $0.task.label?.hasPrefix("read") == true }
      let walks = trial.fake.pendingTasks.filter { $0.task.label == "walk" }
      most = max(most, reads.count)
      #expect(walks.count <= 1)
      if trial.fake.runnableTasks.contains(where: { $0.task.lane == .background }) {
        try trial.fake.runNextBackgroundTask()
      }
    }

    #expect(most == 4)
    #expect(try trial.finish().read.files == 60)
  }
}

/// Repeatable chance: SplitMix64.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
