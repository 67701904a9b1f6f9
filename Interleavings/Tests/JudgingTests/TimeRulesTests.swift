import Judging
import TaskDispatch
import Testing

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
    let other = story.submitted()
    story.history.begin(other)
    cancel(other, .tooLate)
    #expect(story.verdict == nil)
    #expect(
      story.finalVerdict == "rule 9: body 0 was taken for one that ran, and has never run")
  }
}
