internal import CBaton

/// A thread that runs only while it has the baton.
final class SimulatedThread: @unchecked Sendable, CustomStringConvertible {
  enum State {
    /// It runs no body.
    case free
    case ready
    case waiting(for: SimulatedLock)
    case asleep(at: SimulatedPlace, until: Int64?, then: SimulatedLock?)
    /// It goes on when no other thread can run.
    case quiescing
  }

  let number: Int
  let baton = Baton()
  private(set) var name = ""
  /// Its number among the threads of this run. ``number`` is used again when a thread has ended.
  private(set) var serial = 0
  var body: (() -> Void)?
  var state = State.free
  /// It was woken, and has not only reached its deadline.
  var isWoken = false
  /// The thread with the highest priority goes on: see ``Chooser/Strategy/priorities(seed:changes:)``.
  var priority = 0

  init(number: Int) { self.number = number }

  func reset() {
    state = .free
    body = nil
  }

  func begin(named name: String, serial: Int, _ body: @escaping () -> Void) {
    self.name = name
    self.serial = serial
    self.body = body
    state = .ready
  }

  var isFree: Bool { if case .free = state { true } else { false } }

  var isQuiescing: Bool { if case .quiescing = state { true } else { false } }

  func isRunnable(at now: Int64) -> Bool {
    switch state {
    case .free, .quiescing: false
    case .ready: true
    case .waiting(let lock): !lock.isHeld
    case .asleep(_, let deadline, let lock):
      (deadline ?? .max) <= now && lock?.isHeld != true
    }
  }

  var deadlineIfAsleep: Int64? {
    if case .asleep(_, let deadline, _) = state { deadline } else { nil }
  }

  /// Makes the thread runnable if it sleeps there, or makes it wait for the lock that it has freed.
  func wake(at place: SimulatedPlace) {
    guard case .asleep(let own, _, let lock) = state, own === place else { return }
    isWoken = true
    state = lock.map { .waiting(for: $0) } ?? .ready
  }

  /// It was chosen: it sleeps, and waits, no more.
  func wakeIfAsleep() {
    switch state {
    case .asleep, .quiescing: state = .ready
    default: break
    }
  }

  var description: String {
    switch state {
    case .free: "\(name) has ended"
    case .ready: "\(name) can run"
    case .waiting(let lock): "\(name) waits for \(lock)"
    case .asleep(let place, _, _): "\(name) sleeps at \(place)"
    case .quiescing: "\(name) waits until nothing else can run"
    }
  }
}

/// A word on which one thread sleeps until another passes it the baton.
@safe final class Baton: @unchecked Sendable {
  private let word = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  init() { unsafe word.initialize(to: 0) }

  deinit { unsafe word.deallocate() }

  func wait() { unsafe cbaton_wait(word) }

  func pass() { unsafe cbaton_pass(word) }
}
