internal import Glibc
internal import Spool

/// The output of the program for people: one line for each message.
struct Console: Sendable {
  /// Whether standard error is a terminal that can show a line that changes.
  let isTerminal: Bool

  init() {
    let terminal = unsafe getenv("TERM").map { unsafe String(cString: $0) }
    isTerminal = isatty(STDERR_FILENO) == 1 && terminal != nil && terminal != "dumb"
  }

  /// Prints what went wrong, on standard error.
  func complain(_ message: [UInt8]) {
    write(clearing + "spoold: ".utf8 + message + "\n".utf8, to: STDERR_FILENO)
  }

  /// Shows `bar` in the place of the last one.
  func show(_ bar: ProgressBar) {
    write(clearing + "\(bar)".utf8, to: STDERR_FILENO)
  }

  /// Removes the last bar.
  func clear() {
    if isTerminal { write(clearing, to: STDERR_FILENO) }
  }

  /// Prints the result on standard output. False if that fails.
  func print(_ summary: Summary) -> Bool { write(Array("\(summary)\n".utf8), to: STDOUT_FILENO) }

  /// Prints the whole configuration on standard output. False if that fails.
  func print(_ configuration: Configuration) -> Bool {
    write(configuration.lines.flatMap { $0 + "\n".utf8 }, to: STDOUT_FILENO)
  }

  private var clearing: [UInt8] { isTerminal ? Array("\r\u{1B}[K".utf8) : [] }

  @discardableResult
  private func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
