import RandomTesting
import TaskDispatch
import TestSupport

/// The notes about one submission of a random program while it lives. Any thread may use it.
final class Slip: Sendable {
  struct Handle: Sendable {
    let cancel: @Sendable () -> Cancellation
    let outcome: @Sendable () -> Outcome?
    var wait: (@Sendable () throws -> Void)?
  }

  private let state: Locked<Submission>
  private let handle = Locked<Handle?>(nil)
  private let made = Locked<[Slip]>([])
  let number: Int
  let queue: Int
  /// The dice of its body. They are its own, so that what the body does depends on the seed alone.
  let dice: Dice
  /// How many bodies stand between it and a thread of the program.
  let depth: Int

  init(_ submission: Submission, dice: Dice, depth: Int) {
    state = Locked(submission)
    number = submission.called
    queue = submission.queue
    self.dice = dice
    self.depth = depth
  }

  func note(_ change: (inout Submission) -> Void) { state.withLock { change(&$0) } }

  func isHandled(by handle: Handle) { self.handle.withLock { $0 = handle } }

  var knownHandle: Handle? { handle.withLock { $0 } }

  /// Adds the submissions that its body has made.
  func add(_ slips: [Slip]) { made.withLock { $0 += slips } }

  /// This submission, and all that came of it.
  var everything: [Submission] {
    if let outcome = knownHandle?.outcome() { note { $0.outcome = outcome } }
    return [state.withLock { $0 }] + made.withLock { $0 }.flatMap(\.everything)
  }
}

/// A number that the bodies of one queue count up while they are alone in it.
final class Plot: @unchecked Sendable {
  // Not atomic on purpose: the order of the queue makes it right, and ThreadSanitizer checks that.
  private(set) var count = 0

  func countUp() { count += 1 }
}
