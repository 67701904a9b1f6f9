import TaskDispatch

/// The lines that bodies note, from any thread, in order.
final class Log: Sendable {
  private let lines = Locked<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }

  var all: [String] { lines.withLock { $0 } }
}
