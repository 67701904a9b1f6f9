import Foundation
import TaskDispatch
import TaskDispatchTesting
import Testing

/// A failure that is made for real, and the heading under which the page of messages shows its text.
struct FailureMessage: Sendable, CustomTestStringConvertible {
  let heading: String
  private let configuration: RecordingDispatcher.Configuration
  private let fail: @Sendable (RecordingDispatcher) throws -> String

  /// - Parameter fail: Makes the failure on a dispatcher of its own, and returns its text.
  init(
    _ heading: String, _ configuration: RecordingDispatcher.Configuration = .init(),
    fail: @escaping @Sendable (RecordingDispatcher) throws -> String
  ) {
    self.heading = heading
    self.configuration = configuration
    self.fail = fail
  }

  /// Makes the failure, and returns what a reader sees.
  func make() throws -> String {
    let dispatcher = RecordingDispatcher(configuration)
    // What is left over holds the dispatcher that holds it, until the dispatcher is finished.
    defer { try? dispatcher.finish() }
    return try fail(dispatcher)
  }

  var testDescription: String { heading }

  /// What `body` throws, as text.
  static func thrown(by body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing was thrown"
    } catch {
      return "\(error)"
    }
  }
}

/// Something that a body throws in these examples.
struct FileMissing: Error, CustomStringConvertible {
  let path: String
  var description: String { "\(path): no such file" }
}

extension FailureMessage {
  static let page = "Documentation/FailureMessages.md"

  /// Expects that the page shows `text` under `heading`.
  ///
  /// With `UPDATE_PAGES` in the environment it writes the text there first: run the tests once so
  /// after a change of wording, and read the difference before it is committed.
  static func expectPage(
    shows text: String, under heading: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    let isUpdating = ProcessInfo.processInfo.environment["UPDATE_PAGES"] != nil
    try pageAccess.withLock { _ in
      let shown = try Page(page).blocks(of: "text").first { $0.heading == heading }?.text
      if isUpdating, let shown, shown != text { try write(text, under: heading) }
    }

    let shown = try Page(page).blocks(of: "text").first { $0.heading == heading }?.text
    #expect(shown == text, "under \"\(heading)\"", sourceLocation: location)
  }

  // Messages are made in parallel, and the page is one file.
  private static let pageAccess = Locked(())

  private static func write(_ text: String, under heading: String) throws {
    let before = try PackageFile.text(page)
    guard
      let section = before.range(of: "\n### \(heading)\n"),
      let open = before.range(of: "\n```text\n", range: section.upperBound..<before.endIndex),
      let close = before.range(of: "\n```\n", range: open.upperBound..<before.endIndex)
    else { return }
    let after = before.replacingCharacters(in: open.upperBound..<close.lowerBound, with: text)
    try PackageFile.write(after, to: page)
  }
}
