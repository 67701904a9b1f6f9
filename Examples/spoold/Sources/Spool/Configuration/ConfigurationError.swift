/// A setting that makes no sense.
public struct ConfigurationError: Error, Sendable, Hashable {
  /// Where the setting was found.
  public enum Place: Sendable, Hashable {
    case file(BytePath, line: Int)
    /// The file as a whole.
    case wholeFile(BytePath)
    case option(String)
    /// Neither the file nor the command line sets it.
    case nowhere
  }

  public let place: Place
  /// What was found, and what is expected.
  public let reason: String

  /// The line of the file, for sorting: errors about the whole file come first, those about no file
  /// come last.
  var line: Int {
    switch place {
    case .file(_, let line): line
    case .wholeFile: 0
    case .option, .nowhere: .max
    }
  }
}

extension ConfigurationError {
  /// One line for a person, without its end.
  public var message: [UInt8] {
    switch place {
    case .file(let path, let line): path.shown + ", line \(line): \(reason)".utf8
    case .wholeFile(let path): path.shown + ": \(reason)".utf8
    case .option(let name): Array("--\(name): \(reason)".utf8)
    case .nowhere: Array(reason.utf8)
    }
  }
}

/// All that is wrong with a configuration, in the order in which it was found. Not empty.
public struct ConfigurationErrors: Error, Sendable, Hashable {
  public let all: [ConfigurationError]
}

extension ConfigurationErrors: CustomStringConvertible {
  public var description: String {
    all.map { String(decoding: $0.message, as: UTF8.self) }.joined(separator: "\n")
  }
}
