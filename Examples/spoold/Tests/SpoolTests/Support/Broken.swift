import TaskDispatch
import TaskDispatchTesting

@testable import Spool

/// What must hold in every order, and does not in this one.
struct Broken: Error, CustomStringConvertible {
  let description: String
}

/// Throws unless `fact` holds: in an exploration that is what makes a run a failure, with the order in
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
  /// Has somebody act at some moment: a worker that is none of spoold's, and comes last if nobody chooses
  /// otherwise. So one other choice has it act at any moment there is; were it the first, each step
  /// that it is to be put off by would take one.
  func somebody(_ label: String, _ act: @escaping @Sendable () throws -> Void) {
    background.submit(priority: .background, label: label) { try act() }
  }
}

extension [String] {
  /// Lines of a manifest for a person: a few digits and the name.
  var shown: String {
    map { "\($0.prefix(4))…\($0.dropFirst(66))" }.joined(separator: ", ")
  }
}
