internal import Glibc
internal import Spool

/// Where the program speaks to people: one line for each thing that it has to say.
struct Console: Sendable {
  /// Whether somebody looks on who can be shown a line that changes.
  let isTerminal: Bool

  init() {
    let terminal = unsafe getenv("TERM").map { unsafe String(cString: $0) }
    isTerminal = isatty(STDERR_FILENO) == 1 && terminal != nil && terminal != "dumb"
  }

  /// Says what went wrong, on standard error.
  func complain(_ message: [UInt8]) {
    write(clearing + "spoold: ".utf8 + message + "\n".utf8, to: STDERR_FILENO)
  }

  /// Shows `bar` in the place of the last one.
  func show(_ bar: ProgressBar) {
    write(clearing + "\(bar)".utf8, to: STDERR_FILENO)
  }

  /// Takes the last bar away.
  func clear() {
    if isTerminal { write(clearing, to: STDERR_FILENO) }
  }

  /// Prints the result, on standard output. False if nobody takes it.
  func print(_ summary: Summary) -> Bool { write(Array("\(summary)\n".utf8), to: STDOUT_FILENO) }

  /// Prints what everything comes to, on standard output. False if nobody takes it.
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
