import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

/// An intake on the fake: the files are real, the order is the test's.
struct Trial {
  let fake: RecordingDispatcher
  let intake: Intake
  private let problems: Confined<[Problem]>

  /// Takes in the directory `spool` of `scratch`, into the file `manifest` beside it.
  ///
  /// - Parameters:
  ///   - settling: None, because a test has only just written its files.
  ///   - onRead: Called in the middle of reading a file, see ``FileReader/onRead``.
  ///   - fake: What it runs on; its limits, its width and who chooses are its own.
  init(
    in scratch: Scratch, spool: BytePath = "spool", manifest: BytePath = "manifest",
    settling: Settling = Settling(fine: .zero, coarse: .zero),
    limits: Intake.Limits = Intake.Limits(), onRead: (@Sendable (BytePath, Int) -> Void)? = nil,
    on fake: RecordingDispatcher = RecordingDispatcher()
  ) throws {
    self.fake = fake
    let problems = Confined([Problem](), to: fake.foreground)
    self.problems = problems
    var reader = FileReader(try SpoolDirectory(scratch[spool]), settling: settling)
    reader.onRead = onRead
    intake = try Intake(
      reader: reader, into: scratch[manifest], dispatcher: fake, limits: limits
    ) { problem in problems.withValue { $0.append(problem) } }
    intake.start()
  }

  /// The problems so far.
  var told: [Problem] { problems.withValue { $0 } }

  /// Steps everything, brings the manifest to its end, and sees that nothing is left over.
  func finish() throws -> Summary {
    try fake.runUntilIdle()
    let summary = try intake.finish()
    try fake.finish()
    return summary
  }

  /// A whole run.
  @discardableResult
  static func run(in scratch: Scratch) throws -> Summary { try Trial(in: scratch).finish() }
}
