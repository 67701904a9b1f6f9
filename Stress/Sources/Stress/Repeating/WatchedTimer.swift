import Oracle
import TaskDispatch
import UVDispatch

/// A repeating timer, and what the rules allow of its runs. The checks know the interval, the way of
/// catching up, and when `every` was called.
final class WatchedTimer: Sendable {
  let name: String
  let catchUp: CatchUp
  let interval: Int64
  private let load: RepeatingLoad
  /// The times before and after `every`, in nanoseconds.
  private let made = Locked((earliest: Int64(0), latest: Int64(0)))
  private let books = Locked(Books())
  private let handle = Locked<TimerHandle?>(nil)

  private struct Books {
    var inside = 0
    var runs = 0
    var missed = 0
    /// When the body of the last run ended; 0 before the first.
    var lastEnd: Int64 = 0
    var isOver = false
    var timesEmpty = 0
  }

  /// How the timer ends.
  enum End {
    case byCall
    case byItself(run: Int)
    case byShutdown
  }
  let end: End

  init(_ name: String, _ catchUp: CatchUp, interval: Int64, _ end: End, _ load: RepeatingLoad) {
    (self.name, self.catchUp, self.interval, self.end, self.load) = (
      name, catchUp, interval, end, load
    )
  }

  func start(on queue: TaskQueue, in group: WorkGroup?) {
    let now = { [load] in load.dispatcher.now.nanoseconds }
    let earliest = now()
    made.withLock { $0 = (earliest, .max) }
    let made = queue.every(
      .nanoseconds(interval), catchUp: catchUp, label: name, group: group
    ) { [self] in run() }
    let latest = now()
    self.made.withLock { $0.latest = latest }
    handle.withLock { $0 = made }
    group?.whenEmpty { [self] in
      books.withLock { books in
        books.timesEmpty += 1
        expect(books.inside == 0, "its group is empty while a run of it is in its body", .once)
      }
    }
  }

  private func expect(_ isTrue: Bool, _ text: @autoclosure () -> String, _ rule: Rule = .time) {
    if !isTrue { load.violations.report(rule, nil, "\(name): \(text())") }
  }

  /// The number of ticks until `time` if the timer was made at `start`.
  private func ticks(_ start: Int64, _ time: Int64) -> Int {
    start == .max ? 0 : Int(max(0, time - start) / interval)
  }

  // MARK: A run

  private func run() {
    load.totals.begun.add()
    let began = load.dispatcher.now.nanoseconds
    let missed = CurrentTask.missedTicks
    let made = made.withLock { $0 }
    let number = books.withLock { books in
      check(books, began: began, missed: missed, made)
      books.inside += 1
      books.runs += 1
      books.missed += missed
      return books.runs
    }
    load.spend(interval)
    if case .byItself(let last) = end, number == last {
      let answer = CurrentTask.cancel()
      expect(answer, "its last run is not told that it ends the timer", .cancel)
      load.spend(interval)
      let outcome = handle.withLock { $0 }?.outcomeIfFinished
      expect(outcome == nil, "has ended (\(outcome!)) while its last run is in its body", .cancel)
    }
    let ended = load.dispatcher.now.nanoseconds
    books.withLock { books in
      books.inside -= 1
      books.lastEnd = ended
    }
    load.totals.ticks.add()
    load.totals.ended.add()
  }

  private func check(
    _ books: Books, began: Int64, missed: Int, _ made: (earliest: Int64, latest: Int64)
  ) {
    expect(books.inside == 0, "\(books.inside + 1) runs of it are in their bodies", .once)
    expect(!books.isOver, "runs after its end was told", .cancel)
    if case .byItself(let last) = end {
      expect(books.runs < last, "runs after it has cancelled itself", .cancel)
    }
    switch catchUp {
    case .spaced:
      let due = (books.lastEnd == 0 ? made.earliest : books.lastEnd) + interval
      expect(began >= due, "begins \(due - began) ns before its delay is over")
      expect(missed == 0, "a timer without ticks has missed \(missed)")
    case .all:
      let come = ticks(made.earliest, began)
      expect(books.runs + 1 <= come, "run \(books.runs + 1) begins when \(come) ticks have come")
      expect(missed == 0, "with .all, a run has missed \(missed) ticks")
    case .skip, .once:
      let answered = books.runs + 1 + books.missed + missed
      let come = ticks(made.earliest, began)
      expect(answered <= come, "runs and missed ticks are \(answered), when \(come) have come")
      let known = ticks(made.latest, min(books.lastEnd, load.closedAt.withLock { $0 }))
      expect(
        answered >= known,
        "runs and missed ticks are \(answered), when \(known) had come by the last")
    }
  }

  // MARK: Its end

  /// Cancels the timer, if it ends that way. Any thread may call it, once.
  func cancelByCall() {
    guard case .byCall = end, let handle = handle.withLock({ $0 }) else { return }
    let answer = handle.cancel()
    expect(answer != .tooLate, "cannot be cancelled any more", .cancel)
    do {
      let outcome = try handle.wait()
      expect(outcome == .cancelled, "has ended \(outcome)", .cancel)
    } catch {
      expect(false, "the wait for its end is refused: \(error)", .deadlock)
    }
    noteEnd()
  }

  private func noteEnd() {
    books.withLock { books in
      expect(books.inside == 0, "has ended with a run in its body", .cancel)
      books.isOver = true
    }
  }

  /// Checks the end of the timer, after the report.
  ///
  /// - Parameter mustDrain: When the shutdown was called, if every run that was owed then had to run.
  func checkEnd(mustDrain called: Int64?, wasInGroup: Bool) {
    let outcome = handle.withLock { $0 }?.outcomeIfFinished
    expect(
      outcome == .cancelled,
      "has \(outcome.map { "ended \($0)" } ?? "no outcome") after the report", .shutdown)
    noteEnd()
    let made = made.withLock { $0 }
    books.withLock { books in
      expect(
        !wasInGroup || books.timesEmpty == 1, "its group has emptied \(books.timesEmpty) times",
        .once)
      guard case .byShutdown = end, let called, catchUp == .all else { return }
      let owed = ticks(made.latest, called)
      expect(
        books.runs >= owed, "\(books.runs) of \(owed) ticks had a run when it was drained",
        .shutdown)
    }
    // The timer's body holds this object, so this object must not hold the timer any longer.
    handle.withLock { $0 = nil }
  }

  var hasRun: Bool { books.withLock { $0.runs > 0 } }
}
