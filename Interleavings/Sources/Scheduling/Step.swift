/// What a thread did at a point: a line of a trace.
package struct Step: Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    case load, store, update, lock, unlock, sleep, wake, spawn, yield, end, quiesce
  }

  let thread: String
  let kind: Kind
  let object: String
  let place: String

  package var description: String {
    [thread, kind.rawValue, object, place].filter { !$0.isEmpty }.joined(separator: "  ")
  }
}
