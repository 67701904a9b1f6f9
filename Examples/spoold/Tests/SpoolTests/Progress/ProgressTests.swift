import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("What is shown of a run")
struct ProgressTests {
  @Test("is numbers while it is not known how much there is")
  func numbers() {
    let bar = ProgressBar(
      passed: Amount(files: 12, bytes: 3_450_000), total: nil, elapsed: .milliseconds(500))

    #expect("\(bar)" == "counting …  12 files  3.5 MB  6.9 MB/s")
  }

  @Test(
    "is a bar of one length that fills up, and never over its end",
    arguments: [
      (0, "[>                             ]   0%"), (50, "[===============>              ]  50%"),
      (99, "[=============================>]  99%"), (100, "[==============================] 100%"),
      (250, "[==============================] 100%"),
    ])
  func fillsUp(bytes: Int, shown: String) {
    let bar = ProgressBar(
      passed: Amount(files: 1, bytes: bytes), total: Amount(files: 4, bytes: 100), elapsed: .zero)

    #expect("\(bar)" == shown + "  1 files  0.0 MB  0.0 MB/s")
  }

  @Test("counts files where there are no bytes, and is full where there is nothing")
  func countsFiles() {
    let half = ProgressBar(passed: Amount(files: 2), total: Amount(files: 4), elapsed: .zero)
    let nothing = ProgressBar(passed: Amount(), total: Amount(), elapsed: .zero)

    #expect(half.fraction == 0.5)
    #expect(nothing.fraction == 1)
  }

  @Test("ends with a summary")
  func summary() {
    var summary = Summary()
    summary.read = Amount(files: 12, bytes: 34_567_890)
    (summary.unchanged, summary.gone, summary.failed) = (3, 2, 1)
    summary.elapsed = .milliseconds(1_234)

    #expect(
      "\(summary)"
        == "12 files, 34567890 bytes in 1.23 s, 28.0 MB/s; 3 unchanged, 2 gone, 1 failed")
  }

  @Test("is counted by a walk of its own, which ends when its count is not wanted any more")
  func census() throws {
    let scratch = Scratch()
    try Shell.run(
      "mkdir \"$1\"; cd \"$1\"; for n in {1..1500}; do echo >$n; done", [scratch["spool"]])
    let fake = RecordingDispatcher()
    let spool = try SpoolDirectory(scratch["spool"])
    let census = Census(of: spool, dispatcher: fake)
    let unwanted = Census(of: spool, dispatcher: fake)

    census.start { true }
    unwanted.start { false }
    #expect(census.total == nil)
    try fake.runUntilIdle()

    #expect(census.total == Amount(files: 1500, bytes: 1500))
    #expect(unwanted.total == nil)
    try fake.finish()
  }

  @Test("counts what a run is through with, whatever came of it")
  func passed() throws {
    let scratch = Scratch()
    for name in ["a", "b"] { try scratch.write("spool/\(name)", "four") }
    try Trial.run(in: scratch)
    try scratch.write("spool/c", "three")
    let trial = try Trial(in: scratch)

    try trial.fake.runUntilIdle()

    #expect(trial.intake.isOver)
    #expect(trial.intake.passed == Amount(files: 3, bytes: 13))
    _ = try trial.finish()
  }
}
