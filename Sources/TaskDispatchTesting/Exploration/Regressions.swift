internal import TaskDispatch

/// Schedules that once failed or came to an unwanted outcome, in a file beside the test.
struct Regressions: Sendable {
  private let path: String

  /// - Parameters:
  ///   - path: Relative to the directory of `test`, unless it begins with a slash.
  ///   - test: The file of the test.
  init?(_ path: String?, beside test: StaticString) {
    guard let path else { return nil }
    let directory = "\(test)".split(separator: "/", omittingEmptySubsequences: false).dropLast()
    self.path = path.hasPrefix("/") ? path : (directory + [path[...]]).joined(separator: "/")
  }

  /// One schedule, and its place in the file.
  struct Regression: CustomStringConvertible {
    let token: ScheduleToken
    let text: String
    let place: String

    var description: String { "\(text) (\(place))" }
  }

  /// Reads all schedules. Empty if there is no file.
  ///
  /// - Throws: ``ExplorationError/badToken(_:_:)`` for a line that is no token.
  func all() throws(ExplorationError) -> [Regression] {
    var all: [Regression] = []
    let lines = (textOfFile(path) ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
      let place = "\(path):\(index + 1)"
      do throws(ExplorationError) {
        all.append(
          Regression(token: try ScheduleToken(String(line)), text: String(line), place: place))
      } catch {
        guard case .badToken(let text, let reason) = error else { throw error }
        throw .badToken(text, "\(reason), at \(place)")
      }
    }
    return all
  }

  /// Adds a schedule, unless the file has it. If the file cannot be written, as on a server that only runs tests,
  /// nothing is added and nothing is reported.
  func add(_ token: String, _ reason: String) {
    let known = (textOfFile(path) ?? "").split(separator: "\n")
    if known.contains(token[...]) { return }
    let line = reason.prefix { $0 != "\n" }
    _ = appendToFile(path, "# \(line)\n\(token)\n")
  }
}
