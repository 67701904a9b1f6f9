/// Why a history cannot be followed, and what to do about it.
package enum HistoryError: Error, Equatable, Sendable {
  /// The file cannot be opened: its path, and what the system says.
  case unreadable(String, String)
  /// The file is empty.
  case empty(String)
  /// The file is something else.
  case foreign(String)
  /// Another version of this program has written the file: what its first line says.
  case otherVersion(String, String)
  /// The end of the file is missing. The fake would run another order without it.
  case cut(String, missing: Int)
  /// Something in the file was changed: its path, and what is wrong.
  case damaged(String, String)
  /// The file is of another run than the options name.
  case otherRun(String, option: String, recorded: String, given: String)
  /// The recorded seed makes another program now. The texts are the first part that differs: as it was
  /// recorded, and as it is now.
  case otherProgram(String, recorded: String, now: String)
}

extension HistoryError: CustomStringConvertible {
  package var description: String {
    let again = "Run the same seed on threads again, and take the file that it writes."
    switch self {
    case .unreadable(let path, let reason):
      return "\(path) cannot be read: \(reason) Give the file that a failed run has named."
    case .empty(let path):
      return "\(path) is empty: nothing was written to it. \(again)"
    case .foreign(let path):
      return
        "\(path) is no history. Give the file that a failed run of the mix episodes has named; "
        + "the file that ends with .json is for --replay."
    case .otherVersion(let path, let text):
      return "\(path) was written by another version of this program (\(text)). \(again)"
    case .cut(let path, let missing):
      return
        "\(path) was cut: \(missing == 0 ? "its end is" : "\(missing) bytes are") missing, and a "
        + "part of an order is another order. Copy it again. Or: \(again)"
    case .damaged(let path, let reason):
      return "\(path) is not as it was written: \(reason). Copy it again. Or: \(again)"
    case .otherRun(let path, let option, let recorded, let given):
      return
        "\(path) is of a run with \(option) \(recorded), and not \(given): leave out \(option), or "
        + "take the file of that run."
    case .otherProgram(let path, let recorded, let now):
      return "\(path) is of another program than this seed makes now (there \"\(recorded)\", here "
        + "\"\(now)\"): the sources have changed since. \(again)"
    }
  }
}
