package import TaskDispatch

/// What has to do with time: delays, lifetimes, and repeating timers (rule 8), and the cancellation of those (rule 9).
extension History {
  /// How much time may pass, at most, from when a body is taken to when it begins.
  private static let margin: Int64 = 500_000

  /// A body begins so long after it was asked for.
  func checkTime(of entry: Entry, _ age: Int64) {
    if age < entry.delay { fail("rule 8: \(entry.name) begins early") }
    guard let lifetime = entry.lifetime, let accepted = entry.accepted else { return }
    if entry.asked.time + age - accepted.time > lifetime + Self.margin {
      fail("rule 2: \(entry.name) begins, and has expired")
    }
  }

  func checkLifetime(of entry: Entry) {
    guard let lifetime = entry.lifetime else {
      return fail("rule 2: \(entry.name) expires, and has no time to live")
    }
    if next().time - entry.asked.time < lifetime { fail("rule 2: \(entry.name) expires early") }
  }

  package final class Timer: @unchecked Sendable {
    package let name: String
    package let queue: Int
    let interval: Int64
    let catchUp: CatchUp
    let asked: Moment
    var runs: [Entry] = []
    var missed = 0
    /// How many runs may still begin. Nil if no cancellation has returned.
    var runsLeft: Int?
    var cancelled: Moment?
    /// Its outcome was seen.
    var hasEnded = false

    init(_ name: String, _ queue: Int, _ interval: Int64, _ catchUp: CatchUp, _ asked: Moment) {
      self.name = name
      self.queue = queue
      self.interval = interval
      self.catchUp = catchUp
      self.asked = asked
    }

    /// The run that is in its body.
    var running: Entry? { runs.last { $0.isInside } }
    package var hasRun: Bool { !runs.isEmpty }
    /// Whether a cancellation of it was asked for.
    package var isCancelled: Bool { cancelled != nil }
  }

  /// A call begins that makes a repeating timer.
  package func askTimer(on queue: Int, every interval: Int64, _ catchUp: CatchUp) -> Timer {
    let timer = Timer("timer \(timers.count)", queue, interval, catchUp, next())
    timers.append(timer)
    return timer
  }

  /// A run of the timer begins.
  ///
  /// - Parameter missed: How many ticks have got no run, by ``CurrentTask/missedTicks``.
  package func beginRun(of timer: Timer, missed: Int) -> Entry {
    if let other = timer.running { fail("rule 8: \(timer.name) runs twice at once: \(other.name)") }
    let run = ask(.run, on: timer.queue)
    if timer.runsLeft == 0 { fail("rule 9: \(run.name) begins, and \(timer.name) was cancelled") }
    timer.runsLeft? -= 1
    checkTime(of: run, timer, missed)
    run.cancelled = timer.cancelled
    timer.runs.append(run)
    begin(run)
    return run
  }

  private func checkTime(of run: Entry, _ timer: Timer, _ missed: Int) {
    let now = run.asked.time
    timer.missed += missed
    let ticks = timer.runs.count + 1 + timer.missed
    let last = timer.runs.last?.ended?.time ?? timer.asked.time
    if timer.catchUp == .spaced || timer.catchUp == .all, missed > 0 {
      fail("rule 8: \(timer.name) says that ticks have no run")
    }
    let isEarly =
      timer.catchUp == .spaced
      ? now - last < timer.interval : now - timer.asked.time < Int64(ticks) * timer.interval
    if isEarly { fail("rule 8: \(run.name), a run of \(timer.name), begins early") }
  }

  package func askCancel(_ timer: Timer) -> CancelCall {
    let now = next()
    timer.cancelled = timer.cancelled ?? now
    timer.running?.cancelled = now
    return CancelCall(running: timer.running, hadEnded: timer.hasEnded)
  }

  package func note(_ answer: Cancellation, of timer: Timer, _ call: CancelCall) {
    if call.isStillInside, answer != .requested, !mayBeAbandoned(answer) {
      fail("rule 9: \(timer.name) is in its body, and a cancellation says \(answer)")
    }
    if call.hadEnded, answer != .tooLate {
      fail("rule 9: \(timer.name) had ended, and a cancellation says \(answer)")
    }
    if answer == .requested {
      // If no run was inside all the time, one may have been taken, and begin.
      timer.runsLeft = min(timer.runsLeft ?? 1, call.isStillInside ? 0 : 1)
      if call.isStillInside { call.running?.requested = next() }
    } else {
      timer.runsLeft = 0
    }
  }

  /// The timer has ended so. It ends only cancelled.
  package func note(_ outcome: Outcome?, of timer: Timer) {
    switch outcome {
    case nil: return fail("rule 2: \(timer.name) has no outcome")
    case .cancelled where timer.cancelled != nil || hasShutdown: break
    case .refused(.shutDown) where hasShutdown:
      if timer.hasRun { fail("rule 2: \(timer.name) was refused, and has run") }
    case let outcome?: fail("rule 2: \(timer.name) has ended so: \(outcome)")
    }
    if let run = timer.running, !hasShutdown {
      fail("rule 9: \(timer.name) has ended, and \(run.name) runs")
    }
    timer.hasEnded = true
    timer.runsLeft = 0
  }
}
