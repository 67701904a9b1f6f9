import TaskDispatch
import TaskDispatchTesting
import Testing

/// A body that submits itself for ever runs on top of a call that waits in the fake.
@Suite("The step limit of a call that waits")
struct WaitLimitTests {
  /// What gives up, and what it is told: `nil` for a submission that finds no room.
  private enum Wait: CaseIterable { case handle, timedHandle, group, sync, foregroundSync, room }

  @Test("ends it, and names what recurs; nothing is lost", arguments: Wait.allCases)
  private func givesUp(wait: Wait) throws {
    let overflow: Overflow = wait == .room ? .blockCaller(limit: 1, timeout: nil) : .unbounded
    let dispatcher = RecordingDispatcher(
      .init(stepLimit: 30, leftovers: .ignore, overflow: overflow))
    let queue = dispatcher.makeQueue(label: "held", width: 1)
    let group = WorkGroup()
    let chain = Chain(dispatcher.background)
    queue.suspend()
    let handle = queue.submit(label: "last", group: group) {}
    chain.again()

    switch wait {
    case .handle: expectLimit { try handle.wait() }
    case .timedHandle: expectLimit { try handle.wait(timeout: .seconds(1)) }
    case .group: expectLimit { try group.wait() }
    case .sync: expectLimit { try queue.sync {} }
    case .foregroundSync:
      let refusal = Slot<WaitRefusal>()
      dispatcher.foreground {
        do throws(WaitRefusal) { try handle.wait() } catch { refusal.value = error }
      }
      #expect(throws: Never.self) { try dispatcher.foreground.sync {} }
      expectLimit { if let refusal = refusal.value { throw refusal } }
    case .room: #expect(queue {} == .refused(.wouldDeadlock))
    }

    #expect(dispatcher.now == .start)
    #expect(dispatcher.ran.filter { $0 == "again" }.count == 30)
    #expect(Set(dispatcher.pendingTasks.labels) == ["again", "last"])
    queue.resume()
    try dispatcher.runTask(labeled: "last")
    try dispatcher.finish()
  }

  @Test("that is just enough is no error: the one that is waited for is one of them")
  func justEnough() throws {
    for wait in 0..<3 {
      let dispatcher = RecordingDispatcher(.init(stepLimit: 5))
      let queue = wait == 1 ? dispatcher.foreground : dispatcher.makeQueue(label: "one", width: 1)
      for _ in 0..<4 { queue {} }
      switch wait {
      case 0: try queue.submit {}.wait()
      case 1: try queue.sync {}
      default: try queue.barrier.sync {}
      }
      #expect(dispatcher.ledger.completed == 5)
      try dispatcher.finish()
    }
  }

  @Test("begins anew where time has moved, and only there")
  func movedTime() throws {
    let dispatcher = RecordingDispatcher(.init(stepLimit: 5, leftovers: .ignore))
    let held = dispatcher.makeQueue(label: "held", width: 1)
    held.suspend()
    let handle = held.submit {}
    Chain(dispatcher.foreground, after: .milliseconds(1)).again()

    #expect(throws: WaitRefusal.timedOut) { try handle.wait(timeout: .seconds(1)) }
    #expect(dispatcher.ledger.completed == 1000)

    Chain(dispatcher.foreground, after: .zero).again()
    expectLimit { try handle.wait(timeout: .seconds(1)) }
    #expect(dispatcher.now == .start.advanced(by: .seconds(1)))
    try dispatcher.finish()
  }

  @Test("fails the run of an exploration, whatever catches that")
  func exploration() {
    let failure = #expect(throws: ScheduleFailure.self) {
      _ = try explore(configuration: .init(stepLimit: 40, leftovers: .ignore)) { dispatcher in
        let held = dispatcher.makeQueue(label: "held", width: 1)
        held.suspend()
        let handle = held.submit(label: "last") {}
        Chain(dispatcher.background).again()
        _ = try? handle.wait()
        return 0
      }
    }
    #expect(failure?.reason.contains("gave up after 40 steps") == true, "\(failure as Any)")
  }

  private func expectLimit(
    sourceLocation: SourceLocation = #_sourceLocation, _ wait: () throws -> Void
  ) {
    guard case .nothingCanEndIt(let text)? = refusal(wait) else {
      Issue.record("it did not give up", sourceLocation: sourceLocation)
      return
    }
    #expect(text.hasPrefix("gave up after"), sourceLocation: sourceLocation)
    #expect(text.contains("StepLimitTests.swift"), sourceLocation: sourceLocation)
  }

  private func refusal(_ wait: () throws -> Void) -> WaitRefusal? {
    do { try wait() } catch { return error as? WaitRefusal }
    return nil
  }
}
