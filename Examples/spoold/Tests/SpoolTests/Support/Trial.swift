import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

/// An intake on the fake. The files are real, and the test decides the order.
struct Trial {
  let fake: RecordingDispatcher
  let intake: Intake
  private let problems: Confined<[Problem]>

  /// Takes in the directory `spool` of `scratch`, into the file `manifest` beside it.
  ///
  /// - Parameters:
  ///   - settling: No time, because a test has only just written its files.
  ///   - onRead: Called in the middle of reading a file, see ``FileReader/onRead``.
  ///   - fake: The dispatcher that it runs on, with its own limits, width and choices.
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

  /// Steps everything, completes the manifest, and checks that nothing is left.
  func finish() throws -> Summary {
    try fake.runUntilIdle()
    let summary = try intake.finish()
    try fake.finish()
    return summary
  }

  /// Makes a whole run.
  @discardableResult
  static func run(in scratch: Scratch) throws -> Summary { try Trial(in: scratch).finish() }
}
