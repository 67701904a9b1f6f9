import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A blocking wait on the foreground of a fake")
struct ForegroundWaitTests {
  private let answer = Box("never answered")

  private func note(_ wait: () throws -> Void) {
    do {
      try wait()
      answer.value = "went on"
    } catch WaitRefusal.wouldDeadlock {
      answer.value = "would deadlock"
    } catch { answer.value = "\(error)" }
  }

  @Test(
    "in a callback for a task of the foreground, which lets that run",
    arguments: [false, true])
  func callback(standsBehind: Bool) throws {
    let dispatcher = RecordingDispatcher()
    let (group, ran) = (WorkGroup(), Box(0))
    dispatcher.foreground.async(group: group) {}
    let behind = standsBehind ? dispatcher.foreground.submit { _ = ran.increment() } : nil
    group.whenEmpty {
      let awaited = behind ?? dispatcher.foreground.submit { _ = ran.increment() }
      note { _ = try awaited.wait() }
    }

    try dispatcher.runUntilIdle()

    #expect(answer.value == "went on")
    #expect(ran.value == 1)
    try dispatcher.finish()
  }

  @Test("in a body for a group of a timer is told that it waits in vain, and of the next deadline")
  func timer() throws {
    let dispatcher = RecordingDispatcher()
    let (group, ran) = (WorkGroup(), Box(0))
    dispatcher.foreground.after(.milliseconds(1), label: "late", group: group) { ran.increment() }
    dispatcher.foreground { note { try group.wait() } }

    try dispatcher.runUntilIdle()
    try dispatcher.skipTime(by: .milliseconds(1))
    try dispatcher.runUntilIdle()

    #expect(
      answer.value
        == "TaskDispatchTestingTests/ForegroundWaitTests.swift:44 waits in vain: the group has 1 left in it, of which \"late\" cannot run (not before 1 ms: advanceTime(to:)); "
        + "the next deadline is at 1 ms")
    #expect(ran.value == 1)
    try dispatcher.finish()
  }

  @Test("is refused for room in the own queue of a body, whatever else could run")
  func room() throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .blockCaller(limit: 1, timeout: nil)))
    let view = dispatcher.makeQueue(label: "view", width: 1)
    let answers = Box([Admission]())
    dispatcher.background {}
    view {
      let first = view {}
      let second = view {}
      answers.value = [first, second]
    }

    try dispatcher.runUntilIdle()

    #expect(answers.value == [.accepted, .refused(.wouldDeadlock)])
    try dispatcher.finish()
  }
}
