/// The limit of one queue, kept by *credits*, as in flow control. A submission that counts takes a credit. Both
/// dispatchers use this for each queue that has a limit, under a lock.
///
/// Two numbers only grow: how many credits were *issued*, which is here, and how many counted tasks have *departed*
/// from the queue, which the threads that run tasks keep. Never more credits are issued than `limit + departed`. So
/// what waits in the queue, and the credits that are left, never exceed the limit together.
package struct QueueLimit {
  /// What happens to a submission that finds the queue full.
  package let overflow: Overflow
  private let most: Int
  private var issued = 0

  /// Nil without a limit.
  package init?(_ overflow: Overflow) {
    guard let limit = overflow.limit else { return nil }
    self.overflow = overflow
    // No sum of it with a count of tasks overflows.
    most = min(limit, .max / 2)
  }

  /// How many more credits may be issued. Zero if the queue is full.
  ///
  /// - Parameter departed: How many counted tasks have left the queue. An old value makes the answer smaller.
  package func room(departed: Int) -> Int { most + departed - issued }

  /// Issues credits, or takes back some that were not used if `credits` is negative.
  package mutating func issue(_ credits: Int) { issued += credits }
}
