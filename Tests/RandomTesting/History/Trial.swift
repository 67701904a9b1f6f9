package import TaskDispatch

/// What a random program declared, and what its calls and bodies noted. The whole input of
/// ``SubmissionChecker``.
package struct Trial: Sendable {
  package struct Queue: Sendable, Equatable {
    package let label: String
    package let width: Int

    package init(label: String, width: Int) {
      self.label = label
      self.width = width
    }
  }

  /// An interval, in tickets: from when a call had returned to when another began.
  package struct Interval: Sendable {
    package let queue: Int
    package let from: Int
    package var to: Int

    package init(queue: Int, from: Int, to: Int = .max) {
      self.queue = queue
      self.from = from
      self.to = to
    }
  }

  package struct ShutdownCall: Sendable {
    package let called: Int
    package let returned: Int
    /// Whether nothing that has not started may start any more.
    package let drainsNothing: Bool

    package init(called: Int, returned: Int, drainsNothing: Bool) {
      self.called = called
      self.returned = returned
      self.drainsNothing = drainsNothing
    }
  }

  /// The first is the foreground, the second the background, and the others are views.
  package var queues: [Queue]
  /// The most background bodies that may be on workers at a time.
  package var workers: Int
  /// Whether no head ever ages, so that the bands are strict.
  package var bandsAreStrict: Bool
  package var submissions: [Submission] = []
  /// When views were surely suspended.
  package var suspensions: [Interval] = []
  package var shutdowns: [ShutdownCall] = []
  /// From before a `flush` began to when it had ended.
  package var flushes: [Interval] = []
  /// The ticket drawn when the report had been made.
  package var over = Int.max
  package var ledger = Ledger()
  /// The lines of the tasks that the report names as never started.
  package var neverStarted: [Int] = []
  /// How far the bodies that were alone in each queue have counted.
  package var counts: [Int] = []

  package init(queues: [Queue], workers: Int, bandsAreStrict: Bool) {
    self.queues = queues
    self.workers = workers
    self.bandsAreStrict = bandsAreStrict
  }
}
