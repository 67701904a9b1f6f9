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

  /// Makes the failure, and returns the text that a reader sees.
  func make() throws -> String {
    let dispatcher = RecordingDispatcher(configuration)
    // Tasks that are left over and the dispatcher hold each other until the dispatcher is finished.
    defer { try? dispatcher.finish() }
    return try fail(dispatcher)
  }

  var testDescription: String { heading }

  /// The error that `body` throws, as text.
  static func thrown(by body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing was thrown"
    } catch {
      return "\(error)"
    }
  }
}

/// An error that a body throws in these examples.
struct FileMissing: Error, CustomStringConvertible {
  let path: String
  var description: String { "\(path): no such file" }
}

extension FailureMessage {
  static let page = "Documentation/FailureMessages.md"

  /// Expects that the page shows `text` under `heading`.
  static func expectPage(
    shows text: String, under heading: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    try Page.expect(page, shows: text, under: heading, at: location)
  }
}
