internal import Glibc

/// Why a run ended before it had finished. Lines that had been written stay, and are whole.
public enum Stop: Error, Sendable, Hashable {
  /// The directory that was to be read cannot be read.
  case spool(BytePath, SystemError)
  /// The manifest, or the file of stamps beside it, cannot be read or written.
  case manifest(BytePath, SystemError)
  /// Another process has locked the manifest.
  case inUse(BytePath)
  /// The file contains something else, in this line. Nothing was changed.
  case foreign(BytePath, line: Int)
  /// Since the run began, another file was put there, or the file was removed.
  case replaced(BytePath)
  /// The process has run out of something, while it worked on this file.
  case shortage(BytePath, SystemError)
  /// The spool was removed or moved.
  case spoolGone
  /// The spool's path leads to another directory: one was put in its place or mounted there, or a
  /// symbolic link was changed.
  case spoolReplaced
  /// The dispatcher was shut down by other code.
  case interrupted
}

extension Stop {
  /// One line for a person, without its end.
  public var message: [UInt8] {
    switch self {
    case .spool(let path, let error):
      "cannot read the spool ".utf8 + path.shown + ": \(error.text)".utf8
    case .manifest(let path, let error):
      "cannot write the manifest ".utf8 + path.shown + ": \(error.text)".utf8
    case .inUse(let path):
      "another process is at work on the manifest ".utf8 + path.shown
    case .foreign(let path, let line):
      path.shown + ", line \(line): this is not a line of a manifest; nothing was changed".utf8
    case .replaced(let path):
      "the manifest ".utf8 + path.shown + " was removed, or its path leads to another file now".utf8
    case .shortage(let path, let error):
      "cannot go on at ".utf8 + path.shown + ": \(error.text) (\(error.call))".utf8
    case .spoolReplaced:
      Array(
        "the path of the spool leads to another directory now; start again to keep that one".utf8)
    case .spoolGone: Array("the spool is not there any more; start again when it is back".utf8)
    case .interrupted: Array("the run was ended before it was through".utf8)
    }
  }
}

extension Stop: CustomStringConvertible {
  public var description: String { String(decoding: message, as: UTF8.self) }
}
