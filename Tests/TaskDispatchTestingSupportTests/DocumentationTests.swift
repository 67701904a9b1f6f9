import Foundation
import Testing

@Suite("The page TestFrameworks.md")
struct DocumentationTests {
  @Test("shows code that is compiled and run")
  func showsCompiledCode() throws {
    let examples = Self.meaningfulLines(
      try String(contentsOf: Self.root.appending(path: Self.examples), encoding: .utf8))

    for block in try Self.blocks("swift") {
      #expect(examples.contains(Self.meaningfulLines(block)), "not in \(Self.examples):\n\(block)")
    }
  }

  @Test("shows a failure of Swift Testing as a reader sees it")
  func showsSwiftTestingFailure() async throws {
    let run = try await ProcessOfItsOwn(
      .swiftTesting, "ImporterFailureTests/keepsSize", failing: true)

    try Self.expect("Attached", in: run)
  }

  @Test("shows a use that was not expected as a reader sees it")
  func showsUnexpectedUse() async throws {
    let run = try await ProcessOfItsOwn(
      .swiftTesting, "ImporterFailureTests/doesNothing", failing: true)

    try Self.expect("did not expect", in: run)
  }

  @Test("shows a failure of XCTest as a reader sees it")
  func showsXCTestFailure() async throws {
    let run = try await ProcessOfItsOwn(
      .xctest, "ImporterFailureXCTests/testKeepsASize", failing: true)

    try Self.expect("failed - ", in: run)
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let examples = "Tests/TaskDispatchTestingSupportTests/ImporterTests.swift"

  /// The blocks of the page in this language.
  private static func blocks(_ language: String) throws -> [String] {
    let page = try String(
      contentsOf: root.appending(path: "Documentation/TestFrameworks.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "\n```").filter { $0.hasPrefix("\(language)\n") }
    try #require(!blocks.isEmpty)
    return blocks.map { String($0.dropFirst(language.count + 1)) }
  }

  /// Expects the one block that contains `mark` to stand in the output of `run`.
  private static func expect(_ mark: String, in run: ProcessOfItsOwn) throws {
    let block = try #require(try blocks("text").first { $0.contains(mark) })

    let shown = meaningfulLines(withoutPlaces(block))
    let said = meaningfulLines(withoutPlaces(run.output))
    #expect(said.contains(shown), "\(run.output)")
  }

  /// Line numbers move with every edit, and folders are the reader's own.
  private static func withoutPlaces(_ text: String) -> String {
    text.replacing(#/\S*\/(?=\w+\.swift)/#, with: "")
      .replacing(#/\.swift(:\d+)+/#, with: ".swift")
      .replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
  }

  private static func meaningfulLines(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}
