/// What a piece of user code in the mix `entangled` does, one thing after the other.
enum Deed: String, CaseIterable, Sendable {
  /// Keeps the thread for a while.
  case spin
  /// Submits: a plain task, one with a band, a barrier, one in a group, one with a handle, one with a
  /// reply, a timer, a repeating timer.
  case plain, banded, barrier, grouped, handled, asked, later, repeating
  /// Blocks the thread: for a handle, for a group, in a `sync`; for the first two with a time-out or
  /// without.
  case wait, waitBriefly, waitForGroup, waitForGroupBriefly, sync
  case cancel, suspend, enter, whenEmpty, notify
  /// Swift Tasks. The first awaits an outcome, and the thread that ends the task resumes it.
  case listen, value, job, run, cancelRun, idle
  /// Descriptors: watched, and written to.
  case watch, light
  /// Releases a handle.
  case letGo
  /// Keeps a callback's thread until another thread has seen that the background goes on.
  case hold

  var weight: Int {
    switch self {
    case .plain, .handled, .waitBriefly, .cancel: 12
    case .spin, .sync: 10
    case .wait, .whenEmpty, .listen, .later: 6
    case .banded, .barrier, .grouped, .asked, .suspend, .enter, .letGo, .notify: 4
    case .waitForGroupBriefly, .value, .job: 4
    case .waitForGroup, .run, .cancelRun, .hold: 3
    case .repeating, .idle, .watch, .light: 2
    }
  }

  /// The families that it belongs to: `--without` leaves out whole families.
  var families: Set<Family> {
    switch self {
    case .wait, .waitForGroup: [.waits]
    case .waitBriefly, .waitForGroupBriefly: [.briefWaits]
    case .sync: [.syncs]
    case .cancel: [.cancels]
    case .suspend: [.suspends]
    case .grouped, .enter, .whenEmpty, .notify: [.groups]
    case .later, .repeating: [.timers]
    case .listen: [.outcomes]
    case .value, .job, .run, .idle: [.tasks]
    case .cancelRun: [.tasks, .cancels]
    case .watch, .light: [.events]
    case .barrier: [.barriers]
    case .asked: [.replies]
    case .hold: [.holds]
    case .spin, .plain, .banded, .handled, .letGo: []
    }
  }

  /// Whether it submits more tasks.
  var submits: Bool {
    switch self {
    case .spin, .wait, .waitBriefly, .waitForGroup, .waitForGroupBriefly, .cancel, .suspend,
      .enter, .letGo, .light, .hold, .sync:
      false
    default: true
    }
  }

  enum Family: String, CaseIterable, Codable, Sendable {
    case waits, briefWaits, syncs, cancels, suspends, groups, timers, outcomes, tasks, events,
      barriers, replies, holds
    /// Places in which code does nothing: the observer; a `deinit`; a callback of a group or an
    /// outcome.
    case observer, deinits, callbacks
    /// Waits in the observer, which the library's documentation forbids.
    case observerWaits
    /// Shutdowns in the middle of the load.
    case shutdowns
    /// Checks that are not made: where the captures of a body are released; what any code sees as
    /// current; what starts although a call held it back.
    case capturedStandings, standings, starts

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
  }
}
