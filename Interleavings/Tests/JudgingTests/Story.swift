import Judging

/// A history with a clock and a thread that a test sets.
final class Story: @unchecked Sendable {
  var time: Int64 = 0
  var thread = "main"
  private(set) var history: History!

  /// Queue 0 is the loop, 1 is serial, 2 is the pool, and 3 belongs to another dispatcher.
  init(limit: Int? = nil) {
    history = History(
      queues: [
        .init(width: 1, isLoop: true, limit: limit), .init(width: 1, limit: limit),
        .init(width: 2, limit: limit), .init(width: 1, dispatcher: 1, limit: limit),
      ],
      clock: { [unowned self] in time }, thread: { [unowned self] in thread })
  }

  func submitted(
    _ kind: History.Kind = .task, on queue: Int = 1, delay: Int64 = 0, lifetime: Int64? = nil,
    group: History.Group? = nil
  ) -> History.Entry {
    let entry = history.ask(kind, on: queue, delay: delay, lifetime: lifetime, group: group)
    history.accept(entry)
    return entry
  }

  /// Begins a body on a thread.
  @discardableResult
  func begin(on thread: String, _ queue: Int) -> History.Entry {
    let entry = submitted(on: queue)
    at(thread) { history.begin(entry) }
    return entry
  }

  func at<Result>(_ thread: String, _ body: () -> Result) -> Result {
    let former = self.thread
    self.thread = thread
    defer { self.thread = former }
    return body()
  }

  func run(_ entries: History.Entry...) {
    for entry in entries {
      history.begin(entry)
      history.end(entry)
    }
  }

  /// The body reads its flag.
  func note(isCancelled: Bool, in entry: History.Entry) {
    history.note(isCancelled: isCancelled, in: entry, since: history.mark())
  }

  /// The first line of what the judge says.
  var verdict: String? { history.failure.map { String($0.prefix { $0 != "\n" }) } }

  var finalVerdict: String? {
    history.check()
    return verdict
  }
}
