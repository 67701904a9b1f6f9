internal import TaskDispatch

/// The thread that looks for bodies that keep their thread for too long: see ``StallWatch``.
///
/// While bodies start, it looks again and again. Once it knows all that runs it is *parked*: it sleeps until it has to
/// tell of one of these, and the thread that starts the next body wakes it. So while nothing runs it does not wake up
/// (rule 16), and beside a body that runs for hours it wakes up a few times.
final class Watchdog: Sendable {
  /// What the watchdog does after a look.
  enum Next {
    /// It looks again at this time, in nanoseconds of the monotonic clock.
    case look(at: Int64)
    /// It sleeps until ``Watchdog/wake()``.
    case park
    /// It ends: there is no dispatcher any more.
    case end
  }

  private let monitor = Monitor()
  private let state = State()

  private final class State: @unchecked Sendable {
    // Touched under `monitor`.
    var hasStarted = false
    var wakes = 0
    var isOver = false
  }

  /// Starts the thread, unless it has started. Any thread, under no lock.
  ///
  /// - Throws: ``UVError`` if the system has no room for another thread. It has not started then.
  func start(named name: String, watching dispatcher: UVDispatcher) throws(UVError) {
    monitor.lock()
    defer { monitor.unlock() }
    if state.hasStarted { return }
    // It makes the reports, so code of the program runs there.
    try OwnThread.start(named: name, role: "watch", runsBodies: true) { [weak dispatcher] in
      self.watch { Engine.ofLiving(dispatcher) { $0.lookForStalls() } ?? .end }
    }
    state.hasStarted = true
  }

  /// Lets a parked watchdog look again. Call it under no lock.
  func wake() {
    monitor.lock()
    state.wakes += 1
    monitor.unlock()
  }

  /// Ends the thread. Any thread may call it. The watchdog may still be looking when this returns.
  func end() {
    monitor.lock()
    state.isOver = true
    monitor.unlock()
  }

  /// - Parameter look: Looks once.
  private func watch(_ look: () -> Next) {
    while true {
      monitor.lock()
      let seen = state.wakes
      monitor.unlock()
      let time: Int64?
      switch look() {
      case .look(let next): time = next
      case .park: time = nil
      case .end: return
      }
      monitor.lock()
      while !state.isOver, state.wakes == seen, time.map({ monotonicNanoseconds() < $0 }) ?? true {
        monitor.wait(until: time)
      }
      let isOver = state.isOver
      monitor.unlock()
      if isOver { return }
    }
  }
}

extension Engine {
  /// Looks once. The watchdog's thread, which also makes the reports that this defers.
  fileprivate func lookForStalls() -> Watchdog.Next {
    withCore { core in
      core.lookForStalls { self.stack(of: $0) }.map { .look(at: monotonic($0)) } ?? .park
    }
  }

  /// Takes the stack of the thread of a stall that goes on, if the program has asked for stacks.
  private func stack(of stall: Stall.Facts) -> StackTrace? {
    guard let capture = settings.stallStacks else { return nil }
    return StackTracer.shared.trace(stall.thread, capture) {
      // If the body has ended, the thread may have been in another one.
      withCore { $0.goesOn(stall) }
    }
  }
}
