/// When the loop's thread has to be woken. A value under the dispatcher's lock.
///
/// It keeps invariant **W**: while the loop has work, its thread is in an iteration, or has been told of
/// the work while it spun, or a wake-up has been sent that it has not handled yet.
struct LoopWakeups {
  enum State {
    /// The thread sleeps in the poll, or no thread runs the loop. New work must wake it.
    case asleep
    /// A wake-up was sent, or is pending, and the thread has not come to it.
    case woken
    /// The thread is in an iteration, and looks for work before it ends that.
    case iterating
    /// The thread spins in an iteration, without the lock, before it sleeps. New work tells it by a hint.
    case spinning
    /// As `spinning`, and the hint is set.
    case told
    /// The loop has ended for good. Its descriptor may be closed: no thread may wake it.
    case over
  }

  /// How the loop's thread learns that it has work.
  enum Request { case nothing, wake, hint }

  private(set) var state = State.asleep
  /// An iteration is wanted, for another reason than a task.
  var isWanted = false
  /// For when the loop's timer is set, in nanoseconds; `max` if it is not set.
  var timerIsSetFor = Int64.max
  /// The loop is to be woken once the lock is free.
  private(set) var isPending = false
  /// Threads that are about to wake it, or do so now, without the lock.
  private(set) var inFlight = 0
  /// For how long the thread spins before it sleeps.
  var patience = Patience()

  /// Whether work that comes now must be announced to the loop's thread.
  @inline(__always) var mustBeTold: Bool { state == .asleep || state == .spinning }

  var isOver: Bool { state == .over }

  /// There is work, or an iteration is wanted, and ``mustBeTold``: says how the thread learns of it.
  ///
  /// - Parameter now: Read only if the thread has to be woken.
  mutating func request(at now: () -> Int64) -> Request {
    switch state {
    case .woken, .iterating, .told, .over: return .nothing
    case .spinning:
      state = .told
      return .hint
    case .asleep:
      state = .woken
      patience.learn(at: now())
      isPending = true
      inFlight += 1
      return .wake
    }
  }

  /// Takes out that the loop is to be woken. The caller wakes it, and says ``endWake()`` after that.
  mutating func takePending() -> Bool {
    defer { isPending = false }
    return isPending
  }

  /// A thread that took a pending wake-up has sent it.
  mutating func endWake() { inFlight -= 1 }

  /// An iteration begins.
  ///
  /// - Returns: Whether a wake-up was sent for it by ``request(at:)``, or it follows another iteration at once.
  mutating func beginIteration() -> Bool {
    defer {
      state = .iterating
      isWanted = false
    }
    return state == .woken
  }

  /// An iteration ends. - Parameter again: Whether another follows at once, without sleep.
  mutating func endIteration(again: Bool) { state = again ? .woken : .asleep }

  mutating func beginSpin() { state = .spinning }

  mutating func endSpin() { state = .iterating }

  /// The loop has ended for good.
  mutating func end() { state = .over }
}
