import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("A run that cannot go on")
struct StopTests {
  @Test("ends at once: it shuts the dispatcher down, and reads nothing more")
  func endsAtOnce() throws {
    let scratch = Scratch()
    for number in 0..<10 { try scratch.write("spool/\(number)", "x") }
    try Shell.run("ln -s /dev/full \"$1\"", [scratch["manifest"]])
    let trial = try Trial(in: scratch)

    try trial.fake.runNextForegroundTask()
    try trial.fake.runNextBackgroundTask()
    try trial.fake.runNextForegroundTask()
    try trial.fake.runNextBackgroundTask()
    try trial.fake.runNextForegroundTask()  // finds that nothing can be written

    #expect(trial.fake.report?.unfinished.count == 9)
    let full = SystemError(call: "write", code: 28)
    #expect(throws: Stop.manifest(scratch["manifest"], full)) { try trial.intake.finish() }
    #expect(trial.told == [])
    try trial.fake.finish()
  }

  @Test("has not brought the manifest to its end if other code has shut the dispatcher down")
  func isInterrupted() throws {
    let scratch = Scratch()
    for name in ["a", "b"] { try scratch.write("spool/\(name)", name) }
    try Trial.run(in: scratch)
    let before = try scratch.read("manifest")
    try scratch.remove("spool/a")
    try scratch.write("spool/b", "changed")
    let trial = try Trial(in: scratch)
    try trial.fake.runNextForegroundTask()

    trial.fake.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))

    #expect(throws: Stop.interrupted) { try trial.intake.finish() }
    #expect(try scratch.read("manifest") == before)
    try trial.fake.finish()
  }
}
