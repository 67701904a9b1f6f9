import Oracle

/// What producers do in a mix, and how often: a weighted grammar.
enum Mix: String, Codable, CaseIterable, Sendable {
  case `default`, burst, cancel, timer, barrier, priority, overflow, shutdown, async, fork, fault,
    events, episodes, entangled, repeating, flood

  enum Operation: String, CaseIterable, Sendable {
    /// Plain bodies.
    case foreground, background, view
    /// A body of a band, with a label.
    case banded
    /// A body that submits other tasks.
    case family
    /// Work, and then its answer on the foreground.
    case ask
    /// A submission with a handle; one that throws; one that may expire; one that is cancelled.
    case handle, throwing, expiring, cancelled
    case wait
    case timer, cancelledTimer, sharedTimer, repeating
    case barrier, barrierSync, sync, syncInside
    case suspend, group
    /// A body that keeps its thread for a while.
    case slow
    /// Swift concurrency: `run`, an actor, a group of Tasks on an executor, a sleep, a flush.
    case run, actor, taskGroup, sleep, flush
    /// Signals: raised on this thread, raised in a body, sent to any thread; their handlers.
    case raise, raiseInside, send, listen, unlisten
    /// Descriptors: watched, written to, registered anew or twice, ended, closed while they are
    /// watched.
    case open, write, watchAgain, close, closeBehind
    /// Handlers that are refused.
    case unhandled
  }

  var weights: [(operation: Operation, weight: Int)] {
    switch self {
    case .default:
      [
        (.foreground, 2000), (.background, 2000), (.view, 2000), (.banded, 60), (.family, 20),
        (.ask, 20), (.handle, 20), (.throwing, 5), (.expiring, 5), (.cancelled, 20), (.wait, 1),
        (.timer, 10), (.cancelledTimer, 5), (.sharedTimer, 5), (.repeating, 1), (.barrier, 5),
        (.barrierSync, 1), (.sync, 2), (.syncInside, 1), (.suspend, 1), (.group, 2), (.slow, 1),
        (.run, 2), (.actor, 2), (.taskGroup, 1), (.sleep, 1), (.flush, 1),
      ]
    case .burst: [(.foreground, 40), (.background, 40), (.view, 40), (.family, 2), (.banded, 5)]
    case .cancel:
      [
        (.cancelled, 60), (.cancelledTimer, 20), (.handle, 10), (.expiring, 10),
        (.background, 20), (.view, 20), (.repeating, 1), (.barrier, 2), (.wait, 1),
      ]
    case .timer:
      [
        (.timer, 60), (.sharedTimer, 30), (.cancelledTimer, 30), (.repeating, 3),
        (.foreground, 20), (.background, 20), (.slow, 1),
      ]
    case .barrier:
      [
        (.view, 100), (.barrier, 20), (.barrierSync, 4), (.sync, 4), (.syncInside, 2),
        (.background, 20), (.suspend, 2), (.banded, 20), (.slow, 1), (.cancelled, 5),
      ]
    case .priority: [(.banded, 1)]
    case .overflow:
      [
        (.background, 60), (.foreground, 60), (.view, 60), (.handle, 20), (.cancelled, 10),
        (.ask, 10), (.family, 5), (.timer, 5), (.slow, 2), (.run, 5),
      ]
    case .shutdown:
      [
        (.foreground, 100), (.background, 100), (.view, 100), (.handle, 30), (.cancelled, 10),
        (.timer, 20), (.repeating, 2), (.family, 20), (.ask, 10), (.barrier, 5), (.suspend, 2),
        (.slow, 10), (.throwing, 5), (.group, 3), (.sync, 1), (.syncInside, 1),
      ]
    case .async:
      [
        (.run, 30), (.actor, 30), (.taskGroup, 10), (.sleep, 10), (.flush, 3),
        (.foreground, 20), (.background, 20), (.view, 20),
      ]
    case .fork:
      [(.foreground, 30), (.background, 30), (.view, 30), (.timer, 5), (.handle, 5), (.family, 2)]
    case .fault:
      [
        (.foreground, 100), (.background, 100), (.view, 100), (.handle, 20), (.cancelled, 20),
        (.timer, 20), (.cancelledTimer, 10), (.repeating, 1), (.barrier, 10), (.barrierSync, 2),
        (.sync, 2), (.syncInside, 1), (.suspend, 2), (.slow, 20), (.family, 10), (.ask, 10),
      ]
    case .events:
      [
        (.foreground, 60), (.background, 60), (.view, 30), (.handle, 10), (.cancelled, 10),
        (.timer, 20), (.repeating, 1), (.slow, 10), (.family, 5),
        (.raise, 60), (.raiseInside, 40), (.send, 10), (.listen, 15), (.unlisten, 10),
        (.open, 10), (.write, 80), (.watchAgain, 10), (.close, 5), (.closeBehind, 3),
        (.unhandled, 3),
      ]
    // Their seed decides what they submit, and producers draw no operations.
    case .episodes, .entangled, .repeating, .flood: []
    }
  }

  var purpose: String {
    switch self {
    case .default: "a little of everything"
    case .burst: "thousands at once, then nothing for a while"
    case .cancel: "cancellations against starts"
    case .timer: "delays, repeats, and their cancellation"
    case .barrier: "barriers, sync and suspension on views"
    case .priority: "four bands against each other"
    case .overflow: "queues that are always full"
    case .shutdown: "dispatchers made, loaded and shut down, again and again"
    case .async: "Swift Tasks, actors, executors, sleeps"
    case .fork: "forks while everything is at work"
    case .fault: "a system that refuses, delays and interrupts"
    case .events: "signals and descriptors, their handlers, and dispatchers that end beside"
    case .episodes:
      "small programs that end well in any order; if not, their order replays in the fake"
    case .entangled:
      "user code that waits, cancels, suspends and submits wherever any runs: in deinits, callbacks, observers"
    case .repeating:
      "repeating timers in all four ways of catching up, on queues that are slow, held, full, serial and wide"
    case .flood: "many threads against a queue with a limit, whose every answer is judged"
    }
  }

  /// How many submissions a producer has open at a time.
  var window: Int {
    switch self {
    case .burst: 4096
    case .timer: 2048
    case .priority, .default: 512
    default: 256
    }
  }

  /// How long a dispatcher lives, in seconds.
  var roundSeconds: Double {
    switch self {
    case .shutdown: 0.03
    case .fork, .fault: 2
    case .events: 0.2
    default: 10
    }
  }

  /// Whether the fake cannot run the mix.
  var needsThreads: Bool { [.async, .fork, .fault, .repeating, .flood].contains(self) }

  /// Whether the shutdown of a round comes in the middle of the load, with short deadlines.
  func isCutShort(inRound round: Int) -> Bool {
    self == .shutdown || self == .events && round % 2 == 1
  }
}

extension Mix.Operation {
  /// Whether the fake cannot run it: without threads, no other thread ends the wait or runs the Task.
  var needsThreads: Bool {
    switch self {
    case .run, .actor, .taskGroup, .sleep, .flush, .wait, .syncInside, .suspend, .send,
      .closeBehind:
      true
    default: false
    }
  }
}
