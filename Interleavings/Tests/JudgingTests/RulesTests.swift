import Judging
import TaskDispatch
import Testing

/// A history with a clock and a thread that a test sets.
private final class Story: @unchecked Sendable {
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

@Suite("A history with time")
struct TimeRuleTests {
  private let story = Story()

  @Test("lets a delayed task begin at its time, and not before", arguments: [9, 10])
  func delay(time: Int64) {
    let late = story.submitted(.timer, delay: 10)
    story.time = time
    story.run(late)
    #expect(story.finalVerdict == (time < 10 ? "rule 8: body 0 begins early" : nil))
  }

  @Test("lets the timer that is due before go first, if it was there in time", arguments: [0, 6])
  func dueFirst(asked: Int64) {
    let late = story.submitted(.timer, delay: 10)
    story.time = asked
    let early = story.submitted(.timer, delay: 5)
    story.time = 20
    story.run(late, early)
    #expect(
      story.finalVerdict
        == (asked == 0 ? "rule 8: body 0 begins before body 1, which was due before it" : nil))
  }

  @Test("lets a task expire after its time to live, and not before", arguments: [4, 5])
  func lifetime(time: Int64) {
    let body = story.submitted(lifetime: 5)
    story.time = time
    story.history.note(.expired, of: body)
    #expect(story.finalVerdict == (time < 5 ? "rule 2: body 0 expires early" : nil))
  }

  @Test("lets no task begin that has expired, and none expire without a time to live")
  func expired() {
    let body = story.submitted(lifetime: 5)
    story.time = 1_000_000
    story.run(body)
    #expect(story.verdict == "rule 2: body 0 begins, and has expired")
    let other = Story()
    other.history.note(.expired, of: other.submitted())
    #expect(other.verdict == "rule 2: body 0 expires, and has no time to live")
  }

  private func run(_ timer: History.Timer, at time: Int64, missed: Int = 0) {
    story.time = time
    story.history.end(story.history.beginRun(of: timer, missed: missed))
  }

  @Test(
    "lets each run of a timer begin after its tick, and count the ticks",
    arguments: [(10, 20, 0), (9, 20, 0), (10, 19, 0), (10, 30, 1), (10, 29, 1)])
  func ticks(first: Int64, second: Int64, missed: Int) {
    let timer = story.history.askTimer(on: 1, every: 10, .skip)
    run(timer, at: first)
    run(timer, at: second, missed: missed)
    let isRight = first == 10 && second == Int64(20 + 10 * missed)
    #expect((story.finalVerdict == nil) == isRight)
  }

  @Test("lets no two runs of a timer run at once, and spaces those that are spaced")
  func runs() {
    let timer = story.history.askTimer(on: 2, every: 10, .all)
    story.time = 30
    _ = story.history.beginRun(of: timer, missed: 0)
    _ = story.history.beginRun(of: timer, missed: 0)
    #expect(story.verdict == "rule 8: timer 0 runs twice at once: body 0")
    let other = TimeRuleTests()
    let spaced = other.story.history.askTimer(on: 1, every: 10, .spaced)
    other.run(spaced, at: 15)
    other.run(spaced, at: 24)
    #expect(other.story.verdict == "rule 8: body 1, a run of timer 0, begins early")
  }

  private func cancel(_ timer: History.Timer, _ answer: Cancellation) {
    let call = story.history.askCancel(timer)
    story.history.note(answer, of: timer, call)
  }

  @Test("lets no run follow a cancellation, but for one that was taken")
  func cancelled() {
    let timer = story.history.askTimer(on: 1, every: 10, .skip)
    cancel(timer, .requested)
    run(timer, at: 10)
    #expect(story.verdict == nil)
    run(timer, at: 20)
    #expect(story.verdict == "rule 9: body 1 begins, and timer 0 was cancelled")
    let other = TimeRuleTests()
    let second = other.story.history.askTimer(on: 1, every: 10, .skip)
    other.cancel(second, .beforeStart)
    other.run(second, at: 10)
    #expect(other.story.verdict == "rule 9: body 0 begins, and timer 0 was cancelled")
  }

  @Test("lets a timer end only cancelled, and after its run")
  func end() {
    let timer = story.history.askTimer(on: 1, every: 10, .skip)
    story.history.note(.cancelled, of: timer)
    #expect(story.verdict == "rule 2: timer 0 has ended so: cancelled before it started")
    let other = TimeRuleTests()
    let second = other.story.history.askTimer(on: 1, every: 10, .skip)
    other.story.time = 10
    let run = other.story.history.beginRun(of: second, missed: 0)
    other.cancel(second, .requested)
    other.story.note(isCancelled: true, in: run)
    #expect(other.story.verdict == nil)
    other.story.history.note(.cancelled, of: second)
    #expect(other.story.verdict == "rule 9: timer 0 has ended, and body 0 runs")
  }
}

@Suite("A history with cancellations")
struct CancellationRuleTests {
  private let story = Story()

  private func cancel(_ entry: History.Entry, _ answer: Cancellation) {
    let call = story.history.askCancel(entry)
    story.history.note(answer, of: entry, call)
  }

  @Test("answers that a body runs only if it has run, or will")
  func requested() {
    let body = story.submitted()
    cancel(body, .requested)
    #expect(story.verdict == nil)
    #expect(
      story.finalVerdict == "rule 9: body 0 was taken for one that ran, and has never run")
  }

  @Test("answers that a body runs while it does", arguments: [Cancellation.beforeStart, .tooLate])
  func running(answer: Cancellation) {
    let body = story.submitted()
    story.history.begin(body)
    cancel(body, answer)
    #expect(
      story.verdict == "rule 9: body 0 is in its body, and a cancellation says \(answer)")
  }

  @Test("answers that it is too late once there was an outcome")
  func ended() {
    let body = story.submitted()
    story.run(body)
    story.history.note(.completed, of: body)
    cancel(body, .tooLate)
    #expect(story.verdict == nil)
    cancel(body, .requested)
    #expect(story.verdict == "rule 9: body 0 had its outcome, and a cancellation says requested")
  }

  @Test("tells a body to stop if a call has asked for it, and only then")
  func flag() {
    let body = story.submitted()
    story.history.begin(body)
    story.note(isCancelled: false, in: body)
    let before = story.history.mark()
    cancel(body, .requested)
    story.note(isCancelled: true, in: body)
    #expect(story.verdict == nil)
    story.history.note(isCancelled: false, in: body, since: before)
    #expect(story.verdict == nil)
    story.note(isCancelled: false, in: body)
    #expect(story.verdict == "rule 9: body 0 was asked to stop, and is not told")
    let other = Story()
    let second = other.submitted()
    other.note(isCancelled: true, in: second)
    #expect(other.verdict == "rule 9: body 0 is told to stop, and no thread has asked for it")
  }

  @Test("lets no task end cancelled, refused or abandoned without a cause")
  func cause() {
    for outcome in [Outcome.cancelled, .refused(.shutDown), .abandoned] {
      let other = Story()
      other.history.note(outcome, of: other.submitted())
      #expect(other.verdict?.contains("for which there is no cause") == true)
    }
    let body = story.submitted()
    cancel(body, .beforeStart)
    story.history.note(.cancelled, of: body)
    #expect(story.finalVerdict == nil)
  }

  @Test("lets a shutdown abandon only what ran")
  func abandoned() {
    let body = story.submitted()
    story.history.beginClosing()
    story.history.leaveOpen(1)
    story.history.note(.abandoned, of: body)
    #expect(story.verdict == nil)
    #expect(
      story.finalVerdict == "rule 9: body 0 was taken for one that ran, and has never run")
  }
}

@Suite("A history with waits")
struct WaitRuleTests {
  private let story = Story()

  /// A body of `queue` runs on `thread`, and waits there.
  private func wait(
    in queue: Int?, on thread: String, for target: History.Target, timeout: Int64? = nil
  ) -> History.Wait {
    if let queue { story.begin(on: thread, queue) }
    return story.at(thread) { story.history.beginWait(for: target, timeout: timeout) }
  }

  private let refusal = WaitRefusal.wouldDeadlock(chain: [])

  @Test("lets a wait time out at its time, and not before", arguments: [4, 5])
  func timeOut(time: Int64) {
    let wait = wait(in: nil, on: "main", for: .entry(story.submitted()), timeout: 5)
    story.time = time
    story.history.end(wait, .timedOut)
    #expect(story.verdict == (time < 5 ? "wait 0 times out early" : nil))
  }

  @Test("lets no wait time out that has no time-out, or that was over when it began")
  func inVain() {
    let endless = wait(in: nil, on: "main", for: .entry(story.submitted()))
    story.history.end(endless, .timedOut)
    #expect(story.verdict == "wait 0 times out, without end")
    let other = WaitRuleTests()
    let body = other.story.submitted()
    other.story.run(body)
    other.story.history.note(.completed, of: body)
    let late = other.wait(in: nil, on: "main", for: .entry(body), timeout: 0)
    other.story.history.end(late, .timedOut)
    #expect(other.story.verdict == "wait 0 times out, and what it waits for was there before")
  }

  @Test("lets no wait end before what it waits for")
  func early() {
    let body = story.submitted()
    let first = wait(in: nil, on: "main", for: .entry(body))
    story.run(body)
    story.history.end(first)
    #expect(story.verdict == nil)
    let second = wait(in: nil, on: "main", for: .entry(story.submitted()))
    story.history.end(second)
    #expect(story.verdict == "wait 1 has ended before body 1")
  }

  @Test("lets each wait end")
  func never() {
    _ = wait(in: nil, on: "main", for: .queue(1))
    #expect(story.finalVerdict == "rule 14: wait 0 never ends")
  }

  @Test("refuses a body that waits for its own queue, and no thread that holds nothing")
  func own() {
    let own = wait(in: 1, on: "worker 1", for: .queue(1))
    story.history.end(own, refusal)
    #expect(story.verdict == nil)
    let outside = wait(in: nil, on: "main", for: .queue(1))
    story.history.end(outside, refusal)
    #expect(story.verdict == "rule 14: wait 1 is refused, and nothing is stuck")
  }

  @Test("refuses a body in a circle of waits, and none that waits for one which goes on")
  func circle() {
    _ = wait(in: 1, on: "worker 1", for: .queue(0))
    let closing = wait(in: 0, on: "uv", for: .queue(1))
    story.history.end(closing, refusal)
    #expect(story.verdict == nil)
    let other = WaitRuleTests()
    other.story.begin(on: "uv", 0)
    let early = other.wait(in: 1, on: "worker 1", for: .queue(0))
    other.story.history.end(early, refusal)
    #expect(other.story.verdict == "rule 14: wait 0 is refused, and nothing is stuck")
  }

  @Test("counts no wait in a circle that ends by its time-out, or that has ended before")
  func noCircle() {
    _ = wait(in: 1, on: "worker 1", for: .queue(0), timeout: 5)
    let former = wait(in: 2, on: "worker 2", for: .queue(0))
    story.history.end(former)
    let wait = wait(in: 0, on: "uv", for: .queue(1))
    story.history.end(wait, refusal)
    #expect(story.verdict == "rule 14: wait 2 is refused, and nothing is stuck")
  }

  @Test("refuses a body that needs a worker if all workers wait", arguments: [1, 2])
  func workers(count: Int) {
    if count == 2 { _ = wait(in: 2, on: "worker 2", for: .queue(1)) }
    let last = wait(in: 2, on: "worker 1", for: .entry(story.submitted(on: 1)))
    story.history.end(last, refusal)
    #expect(
      story.verdict == (count == 1 ? "rule 14: wait 0 is refused, and nothing is stuck" : nil))
  }

  @Test("refuses a body of the loop that waits for a timer, or for a group with a task of the loop")
  func loop() {
    let timer = story.submitted(.timer, on: 1, delay: 5)
    let group = story.history.makeGroup()
    _ = story.submitted(on: 0, group: group)
    let first = wait(in: 0, on: "uv", for: .entry(timer))
    story.history.end(first, refusal)
    let second = story.at("uv") { story.history.beginWait(for: .group(group)) }
    story.history.end(second, refusal)
    #expect(story.verdict == nil)
  }

  @Test("lets a sync go on once its body begins, or on the loop once that has ended")
  func turn() {
    let sync = story.history.ask(.sync, on: 1)
    let wait = story.history.beginWait(of: sync)
    story.history.begin(sync)
    let inner = story.history.beginWait(for: .queue(2))
    story.history.end(inner, refusal)
    #expect(story.verdict == "rule 14: wait 1 is refused, and nothing is stuck")
    story.history.end(wait)
  }
}

@Suite("A history with groups, limits and a shutdown")
struct OtherRuleTests {
  @Test("lets a wait for a group end, and a notification begin, if the group may have been empty")
  func group() {
    let story = Story()
    let group = story.history.makeGroup()
    let wait = story.history.beginWait(for: .group(group))
    story.history.enter(group)
    story.history.end(wait)
    let notification = story.history.ask(.notification, on: 0, group: group)
    story.history.leave(group)
    story.history.enter(group)
    story.run(notification)
    #expect(story.verdict == nil)
  }

  @Test("lets neither come while the group holds something", arguments: 0..<4)
  func full(what: Int) {
    let story = Story()
    let group = story.history.makeGroup()
    if what % 2 == 0 { story.history.enter(group) } else { _ = story.submitted(group: group) }
    if what < 2 {
      let wait = story.history.beginWait(for: .group(group))
      story.history.end(wait)
      #expect(story.verdict == "wait 0 has ended, and its group was not empty")
    } else {
      let notification = story.history.ask(.notification, on: 0, group: group)
      story.history.begin(notification)
      #expect(story.verdict?.hasSuffix("begins, and its group was not empty") == true)
      let other = story.history.makeGroup()
      story.history.enter(other)
      let mark = story.history.mark()
      story.history.noteCallback(of: other, since: mark)
    }
  }

  @Test("lets a callback of a group come only if the group may have been empty")
  func callback() {
    let story = Story()
    let group = story.history.makeGroup()
    let first = story.history.mark()
    story.history.enter(group)
    story.history.noteCallback(of: group, since: first)
    #expect(story.verdict == nil)
    let second = story.history.mark()
    story.history.noteCallback(of: group, since: second)
    #expect(story.verdict == "a callback is made, and its group was not empty")
  }

  @Test("lets a queue refuse if as many tasks as its limit says may wait", arguments: 0..<4)
  func limit(waiting: Int) {
    let story = Story(limit: 2)
    // One that runs, and one that was cancelled, do not wait.
    story.history.begin(story.submitted())
    story.history.refuse(story.submitted())
    for _ in 0..<min(waiting, 2) { _ = story.submitted() }
    let refused = story.history.ask(.task, on: 1)
    // This one may come in before.
    if waiting == 3 { _ = story.history.ask(.task, on: 1) }
    story.history.note(.refused(.limitReached), of: refused)
    #expect((story.verdict == nil) == (waiting >= 2))
  }

  @Test("lets a queue accept only if it may have room")
  func room() {
    let story = Story(limit: 1)
    let first = story.submitted()
    _ = story.submitted()
    #expect(story.verdict == nil)
    let full = Story(limit: 1)
    full.history.begin(full.submitted())
    _ = full.submitted()
    _ = full.submitted(.sync)
    #expect(full.verdict == nil)
    _ = full.submitted()
    #expect(full.verdict == "body 3 is accepted, and 1 wait in its queue")
    story.history.begin(first)
  }

  @Test("lets a shutdown refuse, and nothing else")
  func refusals() {
    let story = Story()
    story.history.beginClosing()
    story.history.note(.refused(.shutDown), of: story.history.ask(.task, on: 1))
    #expect(story.verdict == nil)
    for refusal in [Refusal.shutDown, .limitReached, .wouldDeadlock, .forkedChild] {
      let other = Story()
      other.history.note(.refused(refusal), of: other.history.ask(.task, on: 1))
      #expect(other.verdict != nil)
    }
  }

  @Test("lets no submission from outside in once the beginning of a shutdown has returned")
  func closed() {
    let story = Story()
    let early = story.history.ask(.task, on: 1)
    story.history.beginClosing()
    story.history.close([0, 1, 2])
    story.history.accept(early)
    _ = story.submitted(on: 3)
    story.begin(on: "worker 1", 3)
    #expect(story.verdict == nil)
    story.at("worker 1") { _ = story.submitted(on: 1) }
    #expect(
      story.verdict
        == "rule 13: body 3 is accepted, and the shutdown had begun before it was asked")
  }

  @Test("lets work of the dispatcher in while a shutdown drains")
  func ownWork() {
    let story = Story()
    story.begin(on: "worker 1", 2)
    story.history.close([0, 1, 2])
    story.at("worker 1") { _ = story.submitted(on: 1) }
    #expect(story.verdict == nil)
  }
}
