/// Why a file has no line in the manifest. The run goes on.
public enum Problem: Error, Sendable, Hashable {
  /// The file cannot be read.
  case unreadable(BytePath, SystemError)
  /// The file was written to while it was read, or just before, again and again.
  case changed(BytePath)
  /// The directory cannot be read, so nothing is known of its contents.
  case unreadableDirectory(BytePath, SystemError)
}

extension Problem {
  /// Relative to the spool.
  public var path: BytePath {
    switch self {
    case .unreadable(let path, _), .changed(let path), .unreadableDirectory(let path, _): path
    }
  }

  /// One line for a person, without its end.
  public var message: [UInt8] {
    switch self {
    case .unreadable(let path, let error): path.shown + ": \(error.text)".utf8
    case .changed(let path): path.shown + ": changed while it was read".utf8
    case .unreadableDirectory(let path, let error):
      (path.bytes.isEmpty ? "." : path).shown + ": cannot read this directory: \(error.text)".utf8
    }
  }
}

extension Problem: CustomStringConvertible {
  public var description: String { String(decoding: message, as: UTF8.self) }
}
