/// A notice for the operator of spoold. Each is told when it begins and when it is over, and not in
/// between.
public enum Notice: Sendable, Hashable {
  /// A file or a directory cannot be taken in.
  case problem(Problem)
  /// The manifest cannot be written. Nothing is lost: what it lacks is kept, and writing is tried
  /// again.
  case cannotSave(Stop)
  case canSaveAgain
  /// The process has run out of something. The step that needed it is tried again.
  case shortage(SystemError)
  case shortageIsOver
  /// Not every directory is watched. The keeper goes through all of them from time to time instead.
  case blind(SystemError, rescanEvery: Duration)
  case seesAgain
  /// All of the spool was gone through; so many files are known.
  case scanned(files: Int)
}

extension Notice {
  /// One line for a person, without its end.
  public var message: [UInt8] {
    switch self {
    case .problem(let problem): problem.message
    case .cannotSave(let stop): stop.message + "; it is tried again until it works".utf8
    case .canSaveAgain: Array("the manifest can be written again; nothing was lost".utf8)
    case .shortage(let error): Array("cannot go on: \(error); it is tried again every second".utf8)
    case .shortageIsOver: Array("it goes on".utf8)
    case .blind(let error, let interval): Self.blindMessage(error, interval)
    case .scanned(let files): Array("the spool was gone through: \(files) files".utf8)
    case .seesAgain: Array("every directory is watched again".utf8)
    }
  }

  private static func blindMessage(_ error: SystemError, _ interval: Duration) -> [UInt8] {
    let reason =
      switch error.setting {
      case let setting?:
        "the limit \(setting) is reached (\(error)); raise it with sysctl, and send SIGHUP"
      case nil: "\(error)"
      }
    return Array(
      """
      cannot watch every directory: \(reason). Until then all of the spool is gone through \
      every \(DurationText.text(of: interval))
      """.utf8)
  }
}

extension Notice: CustomStringConvertible {
  public var description: String { String(decoding: message, as: UTF8.self) }
}
