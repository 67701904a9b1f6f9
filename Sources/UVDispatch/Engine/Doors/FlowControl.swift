internal import Synchronization
internal import TaskDispatch

/// The limit of a queue. See ``QueueLimit``: a submission takes a *credit*, and a counted task that leaves the queue
/// *departs*, which makes room for another credit.
///
/// Credits are issued under the lock of the queue's inbox, all that there are at a time. So most posts take one, and
/// read nothing that a thread that runs tasks writes. Such a thread raises the number of departures with each task. It
/// writes nothing else, and needs no locked instruction for it, since the dispatcher's lock admits one thread at a time.
///
/// While submissions wait for room in the queue, what departs gives its room to the first of them, and is not counted
/// as departed: so no post takes the room.
final class FlowControl: @unchecked Sendable {
  // Under the lock of the inbox.
  @safe @exclusivity(unchecked) private var limit: QueueLimit
  /// Raised under the dispatcher's lock, and read without it. A thread that does not know of a departure by any other
  /// way may read an older number. Then the departure counts as later than its submission.
  private let departed = PaddedCount()
  let overflow: Overflow
  /// How many submissions were refused without the dispatcher's lock.
  private let refused = Atomic(0)
  /// How many submissions wait for room: items in `Standby`, and blocked threads that have not got it yet. Under the
  /// dispatcher's lock.
  @safe @exclusivity(unchecked) private(set) var waiting = 0

  /// Nil without a limit.
  init?(_ overflow: Overflow) {
    guard let limit = QueueLimit(overflow) else { return nil }
    self.limit = limit
    self.overflow = overflow
  }

  /// Whether a plain task that finds the queue full is refused without the dispatcher's lock.
  var refusesAtOnce: Bool { if case .reject = overflow { true } else { false } }

  var refusals: Int { refused.load(ordering: .relaxed) }

  func noteRefusal() { refused.add(1, ordering: .relaxed) }

  /// Issues as many credits as there is room for, but not more than `most`. Under the lock of the inbox.
  func issueCredits(atMost most: Int = .max) -> Int {
    let credits = min(limit.room(departed: departed.value), most)
    limit.issue(credits)
    return credits
  }

  /// Takes back credits that were issued and that no submission has taken. Under the lock of the inbox.
  func takeBack(_ credits: Int) { limit.issue(-credits) }

  /// A counted task has left the queue, and no submission waits for its room. Under the dispatcher's lock.
  func noteDeparture() { departed.raise() }

  /// Notes departures too, for a thread that runs one task of the queue after the other. Marked while a submission
  /// waits for room.
  var departures: PaddedCount.Link { departed.link }

  func addWaiting() {
    waiting += 1
    departed.mark(true)
  }

  func removeWaiting() {
    waiting -= 1
    departed.mark(waiting > 0)
  }
}
