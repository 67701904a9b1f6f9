import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A blocking wait for a group")
struct WaitForGroupTests {
  private let dispatcher = RecordingDispatcher()

  @Test("runs what is in it, on both lanes")
  func runs() throws {
    let group = WorkGroup()
    dispatcher.background.async(group: group) { dispatcher.foreground.async(group: group) {} }
    dispatcher.foreground.async(group: group) {}

    try group.wait(timeout: nil)

    #expect(group.count == 0)
    #expect(dispatcher.ledger.completed == 3)
    try dispatcher.finish()
  }

  @Test("ends when it was empty, although the callback that is told of that enters it again")
  func enteredAgain() throws {
    let group = WorkGroup()
    dispatcher.background.async(group: group) {}
    group.whenEmpty { group.enter() }

    try group.wait(timeout: nil)

    #expect(group.count == 1)
    group.leave()
    try dispatcher.finish()
  }

  @Test("that is empty returns at once, and runs nothing")
  func empty() throws {
    dispatcher.foreground.async(label: "other") {}

    try WorkGroup().wait(timeout: nil)

    #expect(!dispatcher.hasRun("other"))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test(
    "is no deadlock because of what stands behind its own body, and is none of it",
    arguments: [true, false], ["by hand", "a task of a suspended queue", "a timer", "a time-out"])
  func othersBehind(onForeground: Bool, left: String) throws {
    let view = dispatcher.makeQueue(label: "view", width: 1)
    let other = dispatcher.makeQueue(label: "other", width: 1)
    let (group, ended) = (WorkGroup(), Slot<WaitRefusal>())
    let own = onForeground ? dispatcher.foreground : view
    own {
      own {}
      own.async(label: "behind") {}
      switch left {
      case "a task of a suspended queue":
        other.suspend()
        other.async(group: group) {}
      case "a timer": other.after(.milliseconds(1), group: group) {}
      default: group.enter()
      }
      do throws(WaitRefusal) {
        try group.wait(timeout: left == "a time-out" ? .milliseconds(1) : nil)
      } catch { ended.value = error }
      if left == "a task of a suspended queue" { other.resume() }
    }

    try dispatcher.runUntilIdle()
    if left == "a timer" { try dispatcher.advanceTime(by: .milliseconds(1)) }

    switch ended.value {
    case .timedOut?: #expect(left == "a time-out")
    case .nothingCanEndIt?: #expect(left != "a time-out")
    case let answer: Issue.record("\(String(describing: answer))")
    }
    try dispatcher.finish()
  }

  @Test("that was entered by hand says how many are left in it")
  func byHand() throws {
    let group = WorkGroup()
    dispatcher.background.async(group: group) {}
    group.enter()
    dispatcher.foreground.after(.seconds(9), label: "timer") {}

    guard case .nothingCanEndIt(let reason) = waitRefusal({ try group.wait(timeout: nil) }) else {
      return
    }

    #expect(reason.contains("the group has 1 left in it"))
    #expect(reason.contains("9 s"), "the next deadline may be what is missing")
    #expect(dispatcher.now == .start)
    group.leave()
    try dispatcher.advanceToNextDeadline()
    try dispatcher.finish()
  }

  @Test("in a body says which body it is")
  func inBody() throws {
    let group = WorkGroup()
    group.enter()
    let refusal = Slot<WaitRefusal>()
    dispatcher.background.async(label: "collects") {
      do throws(WaitRefusal) { try group.wait(timeout: nil) } catch { refusal.value = error }
    }
    try dispatcher.runUntilIdle()

    guard case .nothingCanEndIt(let reason) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(reason.contains("\"collects\""), "\(reason)")
    #expect(reason.contains("waits in vain: the group has 1 left in it"), "\(reason)")
    group.leave()
    try dispatcher.finish()
  }

  @Test("with a time-out moves time until it is empty")
  func timers() throws {
    let group = WorkGroup()
    dispatcher.background.after(.seconds(2), group: group) {}
    dispatcher.background.after(.seconds(4), group: group) {}

    try group.wait(timeout: .seconds(10))
    #expect(dispatcher.now.sinceStart == .seconds(4))

    dispatcher.background.after(.seconds(2), group: group) {}
    guard
      case .timedOut = waitRefusal({ try group.wait(timeout: .seconds(1)) })
    else { return }
    #expect(dispatcher.now.sinceStart == .seconds(5))
    try dispatcher.advanceToNextDeadline()
    try dispatcher.finish()
  }

  @Test("whose work stands behind the waiting task is a deadlock", arguments: [true, false])
  func deadlock(onForeground: Bool) throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let refusal = Slot<WaitRefusal>()
    let group = WorkGroup()
    let queue = onForeground ? dispatcher.foreground : dispatcher.background
    queue.async(label: "waits") {
      queue.async(group: group) {}
      do { try group.wait(timeout: nil) } catch { refusal.value = error as? WaitRefusal }
    }

    try dispatcher.runUntilIdle()

    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(chain.first?.waiter.contains("\"waits\"") == true)
    try dispatcher.finish()
  }

  @Test("that no task of a dispatcher is in waits on the thread itself")
  func withoutDispatcher() throws {
    let group = WorkGroup()
    group.enter()

    guard case .timedOut = waitRefusal({ try group.wait(timeout: .zero) }) else { return }

    group.leave()
    try group.wait(timeout: nil)
  }

  @Test("by a task that is in the group itself is a deadlock", arguments: Lane.allCases)
  func member(lane: Lane) throws {
    let dispatcher = RecordingDispatcher()
    let refusal = Slot<WaitRefusal>()
    let group = WorkGroup()
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    queue.async(label: "waits", group: group) {
      do { try group.wait(timeout: nil) } catch { refusal.value = error as? WaitRefusal }
    }

    try dispatcher.runUntilIdle()

    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(chain.first?.waiter.contains("\"waits\"") == true)
    #expect(group.count == 0)
    try dispatcher.finish()
  }

  @Test("on a worker runs what is in it on the free workers")
  func onWorker() throws {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    let log = Log()
    let group = WorkGroup()
    dispatcher.background {
      dispatcher.background.async(group: group) { log.note("background") }
      dispatcher.foreground.async(group: group) { log.note("foreground") }
      try! group.wait(timeout: nil)
      log.note("went on")
    }

    try dispatcher.runNextBackgroundTask()

    #expect(Set(log.all.prefix(2)) == ["background", "foreground"])
    #expect(log.all.last == "went on")
    try dispatcher.finish()
  }
}
