import TaskDispatch
import TaskDispatchTesting

@testable import Spool

/// A fact that must hold in every order, and does not hold in this one.
struct Broken: Error, CustomStringConvertible {
  let description: String
}

/// Throws unless `fact` holds. In an exploration the error makes the run a failure, with the order in
/// which it happened. An `#expect` would only say that there was one.
func hold(_ fact: Bool, _ description: @autoclosure () -> String) throws(Broken) {
  guard fact else { throw Broken(description: description()) }
}

extension Scratch {
  /// Throws unless the manifest agrees with the spool, line for line, and each file has one line.
  func requireTruth() throws {
    let (lines, truth) = (try sortedLines("manifest"), try trueLines())
    try hold(lines == truth, "the manifest says \(lines.shown), and true is \(truth.shown)")
  }
}

extension RecordingDispatcher {
  /// Submits an act of another program, which can happen at any moment. It is a task of a worker that
  /// spoold does not use, and comes last unless an exploration chooses otherwise. So one unusual choice
  /// lets it act at any moment. If it were first by default, each step that goes before it would take
  /// one choice.
  func otherProgram(_ label: String, _ act: @escaping @Sendable () throws -> Void) {
    background.submit(priority: .lowest, label: label) { try act() }
  }
}

extension [String] {
  /// Lines of a manifest for a person: a few digits and the name.
  var shown: String {
    map { "\($0.prefix(4))…\($0.dropFirst(66))" }.joined(separator: ", ")
  }
}
