import Judging
import TaskDispatch
import Testing

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
