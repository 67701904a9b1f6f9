import Synchronization
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("Explored: a file that is written to again and again")
struct SettlingExplorationTests {
  @Test("also while it is hashed: the manifest has the last of it, and no read is for nothing")
  func isWrittenWhileHashed() throws {
    let scratch = Scratch()
    let result = try explore(.bounded(deviations: 3)) { dispatcher in
      try scratch.begin()
      let reads = Atomic(0)
      let isDone = Atomic(false)
      let vigil = try Vigil(
        in: scratch,
        onRead: { _, _ in
          reads.add(1, ordering: .relaxed)
          guard dispatcher.choose([false, true], "is written to meanwhile"),
            !isDone.exchange(true, ordering: .relaxed)
          else { return }
          try! scratch.append("spool/a", "three")
        }, on: dispatcher
      ) { vigil in
        vigil.otherProgram("one") {
          try scratch.append("spool/a", "one")
          vigil.otherProgram("two") { try scratch.append("spool/a", "two") }
        }
      }
      try vigil.settle()

      try scratch.requireTruth()
      let told = vigil.told
      try hold(told.isEmpty || told == [.problem(.changed("a"))], "it says \(told)")
      // Each write causes at most one read, and one more if the file changes during the read.
      let (whole, all) = (vigil.counts.read.files, reads.load(ordering: .relaxed))
      try hold((1...3).contains(whole), "it was read \(whole) times")
      try vigil.requireQuietEnd()
      return [whole, all]
    }
    // How often the file was read whole, and in how many pieces. Two writes that settle together are
    // one read.
    #expect(result.outcomes.contains([1, 2]))
    #expect(result.outcomes.contains { $0[0] == 2 })
    #expect(result.ordersSeen >= 450)
  }

  @Test("is read by one worker at a time, however the time passes")
  func isReadByOne() throws {
    let scratch = Scratch()
    let result = try explore(.bounded(deviations: 3), budget: .init(timersAhead: 3)) { dispatcher in
      try scratch.begin(with: ["spool/a": "a"])
      let vigil = try Vigil(in: scratch, on: dispatcher) { vigil in
        vigil.otherProgram("one") {
          try scratch.append("spool/a", "one")
          vigil.otherProgram("two") {
            try scratch.append("spool/a", "two")
            let reads = dispatcher.pendingTasks.filter {
              $0.task.label == "read a" && $0.task.lane == .background
            }
            try hold(reads.count <= 1, "two workers are to read it: \(reads)")
          }
        }
      }
      try vigil.settle()

      try scratch.requireTruth()
      try hold(vigil.told.isEmpty, "it says \(vigil.told)")
      let reads = vigil.counts.read.files
      try vigil.requireQuietEnd()
      return reads
    }
    try result.requireOutcomes([1, 2, 3])
    #expect(result.ordersSeen >= 250)
  }
}
