import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

/// One body waits in a queue of width 1. The fake runs another body on top of it, which waits for that queue.
@Suite("A blocking wait behind a body that waits")
struct BehindAWaitTests {
  private let dispatcher = RecordingDispatcher()

  enum Way: String, CaseIterable {
    case handle, turn, group
  }

  enum First: String, CaseIterable {
    case byHand, timeOut, timer, suspended
  }

  private func wait(_ way: Way, for view: TaskQueue) throws {
    switch way {
    case .handle: try view.submit {}.wait()
    case .turn: try view.sync {}
    case .group:
      let group = WorkGroup()
      view.async(group: group) {}
      try group.wait()
    }
  }

  @Test(
    "is no deadlock if that may go on by itself, which one thread cannot show",
    arguments: Way.allCases, First.allCases)
  func mayGoOn(way: Way, first: First) throws {
    let view = dispatcher.makeQueue(label: "view", width: 1)
    let other = dispatcher.makeQueue(label: "other", width: 1)
    let (group, answer) = (WorkGroup(), Slot<any Error>())
    view {
      switch first {
      case .byHand: group.enter()
      // The body waits for a task that stands behind the body itself.
      case .timeOut: view.async(group: group) {}
      case .timer: other.after(.milliseconds(1), group: group) {}
      case .suspended:
        other.suspend()
        other.async(group: group) {}
      }
      dispatcher.background {
        do { try wait(way, for: view) } catch { answer.value = error }
      }
      try? group.wait(timeout: first == .timeOut ? .seconds(1) : nil)
      if first == .suspended { other.resume() }
    }

    try dispatcher.runUntilIdle()
    if first == .timer { try dispatcher.advanceTime(by: .milliseconds(1)) }

    guard case WaitRefusal.cannotBeOrdered(let chain)? = answer.value else {
      Issue.record("\(String(describing: answer.value))")
      return
    }
    #expect(chain.count == 2)
    try dispatcher.finish()
  }

  @Test("is a deadlock if that waits for it, however else", arguments: Way.allCases)
  func circle(way: Way) throws {
    let view = dispatcher.makeQueue(label: "view", width: 1)
    let answer = Slot<any Error>()
    view {
      let top = dispatcher.background.submit {
        do { try wait(way, for: view) } catch { answer.value = error }
      }
      _ = try? top.wait()
    }

    try dispatcher.runUntilIdle()

    guard case WaitRefusal.wouldDeadlock? = answer.value else {
      Issue.record("\(String(describing: answer.value))")
      return
    }
    try dispatcher.finish()
  }
}
