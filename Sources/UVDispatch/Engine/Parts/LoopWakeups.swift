/// When the loop's thread has to be woken. A value under the dispatcher's lock.
///
/// It keeps invariant **W**: while the loop has work, its thread is in an iteration, or has been told of
/// the work while it spun, or a wake-up has been sent that it has not handled yet.
struct LoopWakeups {
  enum State {
    /// The thread sleeps in the poll, or no thread runs the loop. New work has to wake it.
    case asleep
    /// A wake-up was sent or is pending, or an iteration follows another at once, and the thread has not begun it.
    case woken
    /// The thread is in an iteration, and looks for work before it ends that.
    case iterating
    /// The thread spins in an iteration, without the lock, before it sleeps. New work reaches it by a hint.
    case spinning
    /// The thread spins, and the hint is set.
    case told
    /// The loop has ended for good. Its descriptor may be closed: no thread may wake it.
    case over
  }

  /// How the loop's thread learns that it has work.
  enum Request { case nothing, wake, hint }

  private(set) var state = State.asleep
  /// An iteration is wanted, for another reason than a task.
  private(set) var isWanted = false
  /// The time for which the loop's timer is set, in nanoseconds; `max` if it is not set.
  var timerIsSetFor = Int64.max
  /// The loop has to be woken once the lock is free.
  private(set) var isPending = false
  /// Threads that are about to wake the loop, or do so now, without the lock.
  private(set) var inFlight = 0
  /// The spin limit of the loop's thread.
  var spinLimit = SpinLimit()

  /// Whether the loop's thread has to be told of work that comes now.
  @inline(__always) var mustBeTold: Bool { state == .asleep || state == .spinning }

  var isSpinning: Bool { state == .spinning }

  var isOver: Bool { state == .over }

  /// An iteration is wanted, for another reason than a task.
  @inline(__always) mutating func want() { isWanted = true }

  /// There is work, or an iteration is wanted. Says how the loop's thread learns of that.
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
      spinLimit.learn(at: now())
      isPending = true
      inFlight += 1
      return .wake
    }
  }

  /// Whether the loop has to be woken once the lock is free.
  @inline(__always) var hasPending: Bool { isPending }

  /// A timer comes due at `deadline`, in nanoseconds. An iteration of the loop ends with a look at the timers, so
  /// one is wanted if none is on its way and the loop's timer is set for a later time.
  mutating func noteDeadline(_ deadline: Int64) {
    if mustBeTold, deadline < timerIsSetFor { want() }
  }

  /// Takes out the pending wake-up. The caller sends it, and calls ``endWake()`` after that.
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

  /// An iteration ends.
  ///
  /// - Parameter again: Whether another follows at once, without sleep.
  mutating func endIteration(again: Bool) { state = again ? .woken : .asleep }

  mutating func beginSpin() { state = .spinning }

  mutating func endSpin() { state = .iterating }

  /// The loop has ended for good.
  mutating func end() { state = .over }
}
