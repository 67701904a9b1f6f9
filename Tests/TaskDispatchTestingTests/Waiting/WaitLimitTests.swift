import TaskDispatch
import TaskDispatchTesting
import Testing

/// A body that submits itself for ever runs on top of a call that waits in the fake.
@Suite("The step limit of a call that waits")
struct WaitLimitTests {
  /// The call that gives up.
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
      // Tasks that run in the inner wait count for this call too.
      expectLimit { try dispatcher.foreground.sync {} }
      expectLimit { if let refusal = refusal.value { throw refusal } }
    case .room: #expect(queue {} == .refused(.wouldDeadlock))
    }

    #expect(dispatcher.now == .start)
    // The foreground body that waits is one of the 30.
    let runs = wait == .foregroundSync ? 29 : 30
    #expect(dispatcher.ran.filter { $0 == "again" }.count == runs)
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

  /// Bodies that wait stand on top of each other, and each of them begins a wait of its own.
  @Test("counts what runs in waits inside it", arguments: [1, 2, 3])
  func nested(views: Int) throws {
    let dispatcher = RecordingDispatcher(.init(width: 8, stepLimit: 50, leftovers: .ignore))
    let held = dispatcher.makeQueue(label: "held", width: 1)
    held.suspend()
    let handle = held.submit {}
    Chain(dispatcher.background).again()
    for number in 0..<views {
      waitAgain(for: handle, on: dispatcher.makeQueue(label: "waits \(number)", width: 1))
    }

    expectLimit { try handle.wait() }
    #expect(dispatcher.ledger.completed <= 50)
    let before = dispatcher.ledger.completed
    #expect(throws: StepError.self) { try dispatcher.runUntilIdle(limit: 40) }
    #expect(dispatcher.ledger.completed - before <= 40)
    held.resume()
    try dispatcher.finish()
  }

  @Test("is over with the call: a wait in a later step has its own")
  func laterStep() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let chain = Chain(dispatcher.foreground)
    chain.again()
    #expect(throws: StepError.self) { try dispatcher.runUntilIdle(limit: 5) }
    let handle = dispatcher.background.submit {}
    let outcome = Slot<Outcome>()
    dispatcher.makeQueue(label: "waits", width: 1).async(label: "waits") {
      outcome.value = try? handle.wait()
    }

    try dispatcher.runTask(labeled: "waits")
    #expect(outcome.value == .completed)
    try dispatcher.finish()
  }

  @Test("ends waits in callbacks of what was waited for, of which each begins the next")
  func callbacks() throws {
    let dispatcher = RecordingDispatcher(.init(stepLimit: 50, leftovers: .ignore))
    let depth = WaitsInCallbacks(dispatcher)
    let refusal = depth.waits(left: 5_000)

    guard case .nothingCanEndIt(let text)? = refusal else {
      Issue.record("the innermost has not given up: \(refusal as Any)")
      return
    }
    #expect(text.hasPrefix("gave up after 50 steps"))
    #expect(dispatcher.ledger.completed == 50)
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
  }

  @Test("ends them also where the stack of the thread ends before the limit")
  func stack() throws {
    let dispatcher = RecordingDispatcher(.init(stepLimit: 1_000_000, leftovers: .ignore))
    let refusal = WaitsInCallbacks(dispatcher).waits(left: 500_000)

    guard case .nothingCanEndIt(let text)? = refusal else {
      Issue.record("the innermost has not given up: \(refusal as Any)")
      return
    }
    #expect(text.contains("the stack of this thread is nearly used up"), "\(text)")
    #expect(dispatcher.ledger.balances)
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

/// Waits for a task whose callback waits for the next, and so on.
private final class WaitsInCallbacks: Sendable {
  private let dispatcher: RecordingDispatcher
  private let refusal = Slot<WaitRefusal>()

  init(_ dispatcher: RecordingDispatcher) { self.dispatcher = dispatcher }

  /// - Returns: The refusal of the innermost wait, if it was refused.
  func waits(left: Int) -> WaitRefusal? {
    wait(left)
    return refusal.value
  }

  private func wait(_ left: Int) {
    guard left > 0, refusal.value == nil else { return }
    let group = WorkGroup()
    let handle = dispatcher.background.submit(group: group) { left }
    group.whenEmpty { self.wait(left - 1) }
    do throws(WaitRefusal) { try handle.wait() } catch { refusal.value = refusal.value ?? error }
  }
}

/// Submits a task to `queue` that waits for `handle`, and that first submits the next such task.
private func waitAgain(for handle: TaskHandle<Void>, on queue: TaskQueue) {
  queue {
    waitAgain(for: handle, on: queue)
    _ = try? handle.wait()
  }
}
