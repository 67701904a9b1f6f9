internal import Synchronization

/// The output of Swift Testing, read line by line.
final class TestReport: Sendable {
  private struct State {
    var failure: String?
    var open: [String] = []
  }

  private let state = Mutex(State())

  /// The first test that recorded an issue.
  var failure: String? { state.withLock { $0.failure } }

  /// The test that began last and has not ended.
  var running: String? { state.withLock { $0.open.last } }

  /// Swift Testing's name for a thread that belongs to no test. Only place and text identify its issue.
  private static let nobody = "«unknown»"

  /// Takes what is between arrow and place in ` with 1 argument rule → rule 3 at File.swift:1:1: …`.
  private static func arguments(_ text: Substring) -> String {
    guard text.hasPrefix(" with "), let arrow = text.firstRange(of: "→ "),
      let place = text[arrow.upperBound...].firstRange(of: " at ")
    else { return "" }
    return " (\(text[arrow.upperBound..<place.lowerBound].prefix(80)))"
  }

  func read(_ line: String) {
    guard let test = line.firstRange(of: "Test ").map({ line[$0.upperBound...] }),
      !test.hasPrefix("run "), !test.hasPrefix("case ")
    else { return }
    func name(before text: String) -> String? {
      test.firstRange(of: text).map { String(test[..<$0.lowerBound]) }
    }
    state.withLock { state in
      if let issue = test.firstRange(of: " recorded an issue") {
        if state.failure == nil {
          let (name, rest) = (String(test[..<issue.lowerBound]), test[issue.upperBound...])
          state.failure =
            name == Self.nobody ? "no test\(rest.prefix(240))" : name + Self.arguments(rest)
        }
      } else if let name = name(before: " started.") {
        state.open.append(name)
      } else if let name = name(before: " passed after") ?? name(before: " failed after") {
        let plain = name.firstRange(of: " with ").map { String(name[..<$0.lowerBound]) } ?? name
        state.open.removeAll { $0 == plain }
      }
    }
  }
}
