/// What a piece of user code of the mix `entangled` does, one after the other.
enum Deed: String, CaseIterable, Sendable {
  /// Takes a while.
  case spin
  /// Submits: plain, with a band, alone, into a group, with a handle, with a reply, later, again and again.
  case plain, banded, barrier, grouped, handled, asked, later, repeating
  /// Stands still: for a handle, for a group, for its turn; with a time-out and without.
  case wait, waitBriefly, waitForGroup, waitForGroupBriefly, sync
  case cancel, suspend, enter, whenEmpty, notify
  /// Swift Tasks: one that is told of an outcome by the thread that ends the task, and others.
  case listen, value, job, run, cancelRun, idle
  /// Descriptors: watched, and written to.
  case watch, light
  /// Lets go of a handle.
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

  /// What of it can be left out together, by `--without`.
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

  /// What submits more.
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
    /// Not what is done, but where: in the observer; in a `deinit`; in a callback of a group or outcome.
    case observer, deinits, callbacks
    /// Waits in the observer, which the library's own words forbid.
    case observerWaits
    /// Shutdowns in the middle of the load.
    case shutdowns
    /// Not what is done, but what is looked at: where what a body captured is let go of; where any code
    /// stands; what starts although it was held back.
    case capturedStandings, standings, starts

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
  }
}
