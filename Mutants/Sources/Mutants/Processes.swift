internal import Dispatch
internal import Glibc
internal import Synchronization

/// The process groups that this program has started. None of them may outlive it.
enum Processes {
  private static let groups = Mutex(Set<pid_t>())

  static func began(_ group: pid_t) { groups.withLock { _ = $0.insert(group) } }

  /// Ends a group, if it has not ended yet.
  static func kill(_ group: pid_t) {
    groups.withLock { groups in
      if groups.remove(group) != nil { _ = Glibc.kill(-group, SIGKILL) }
    }
  }

  /// Ends all groups when this program is interrupted.
  static func endWithThisOne() {
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        groups.withLock { groups in for group in groups { _ = Glibc.kill(-group, SIGKILL) } }
        exit(128 + number)
      }
      source.resume()
      sources.withLock { $0.append(Source(source: source)) }
    }
  }

  private struct Source: @unchecked Sendable {
    // Only held so that it is not released.
    let source: any DispatchSourceSignal
  }

  private static let sources = Mutex<[Source]>([])
}
