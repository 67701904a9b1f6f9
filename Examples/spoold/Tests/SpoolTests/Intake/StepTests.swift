import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("Taking files in, step by step")
struct StepTests {
  @Test("walks and reads on workers, and writes a line when the foreground runs")
  func stepsThrough() throws {
    let scratch = Scratch()
    try scratch.write("spool/a", "one")
    try scratch.write("spool/b", "two")
    let trial = try Trial(in: scratch)

    try trial.fake.runNextForegroundTask()  // begins
    try trial.fake.runTask(labeled: "walk")
    #expect(trial.fake.pendingTasks.count == 1)  // only what the walk has found
    try trial.fake.runNextForegroundTask()
    try trial.fake.runTask(labeled: "read b")
    #expect(try scratch.sortedLines("manifest") == [])

    try trial.fake.runNextForegroundTask()
    #expect(try scratch.sortedLines("manifest").map { $0.suffix(3) } == ["  b"])

    try trial.fake.runTask(labeled: "read a")
    try trial.fake.runNextForegroundTask()
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try trial.finish().read == Amount(files: 2, bytes: 6))
  }
}
