import Redis
import UVDispatch

/// What became of the commands of a test. Use it on the foreground, until the report.
final class Tally: Sendable {
  struct Counts: Equatable {
    /// The commands that were answered, by number, in the order of the answers.
    var answered: [Int] = []
    var replies: [RedisReply] = []
    /// The commands that failed, in the order of the failures.
    var failed: [Int] = []
    var errors: Set<RedisError> = []
    /// What the connection said of its end, and below it how many closures had been called by then.
    var ends: [RedisError?] = []
    var toldBeforeEnd: [Int] = []
  }

  private let counts: Confined<Counts>

  init(on dispatcher: UVDispatcher) { counts = Confined(Counts(), to: dispatcher.foreground) }

  /// - Returns: How many were told so far.
  @discardableResult
  func note(_ number: Int, _ reply: Result<RedisReply, RedisError>) -> Int {
    counts.withValue { counts in
      switch reply {
      case .success(let reply):
        counts.answered.append(number)
        counts.replies.append(reply)
      case .failure(let error):
        counts.failed.append(number)
        counts.errors.insert(error)
      }
      return counts.answered.count + counts.failed.count
    }
  }

  func noteEnd(_ error: RedisError?) {
    counts.withValue { counts in
      counts.ends.append(error)
      counts.toldBeforeEnd.append(counts.answered.count + counts.failed.count)
    }
  }

  func takeCounts() -> Counts { counts.takeValue() }
}
