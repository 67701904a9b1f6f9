import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A wait on a thread that is not the test's")
struct WaitOnAnotherThreadTests {
  private let dispatcher = RecordingDispatcher()

  @Test("runs what it needs on that thread")
  func runsThere() throws {
    let threads = Slot<[ObjectIdentifier]>()
    // Asked for first: a later thread may get the identity of one that has ended.
    let mine = thisThread()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    store.async(label: "before") { threads.value = [thisThread()] }

    onAnotherThread {
      try! store.sync {
        threads.value! += [thisThread()]
        #expect(store.isCurrent)
      }
      threads.value! += [thisThread()]
    }

    let seen = try #require(threads.value)
    #expect(seen.count == 3)
    #expect(Set(seen).count == 1)
    #expect(seen.first != mine)
    #expect(dispatcher.hasRun("before"))
    try dispatcher.finish()
  }

  @Test("for a task ends with its outcome")
  func outcome() throws {
    let outcome = Slot<Outcome>()
    let handle = dispatcher.background.submit { 7 }

    onAnotherThread { outcome.value = try? handle.wait() }

    #expect(outcome.value == .completed)
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
  }

  @Test("is refused while this one steps, and loses nothing")
  func whileStepping() throws {
    let refusals = Slot<[WaitRefusal]>()
    let handle = dispatcher.background.submit(label: "task") {}
    let group = WorkGroup()
    dispatcher.background.async(label: "member", group: group) {}
    dispatcher.foreground {
      onAnotherThread {
        refusals.value = [
          waitRefusal { try handle.wait() }, waitRefusal { try group.wait(timeout: .seconds(1)) },
        ].compactMap(\.self)
      }
    }

    try dispatcher.runNextForegroundTask()

    for refusal in try #require(refusals.value) {
      guard case .nothingCanEndIt(let reason) = refusal else {
        Issue.record("\(refusal)")
        continue
      }
      #expect(reason.contains("is being stepped on another thread"))
    }
    #expect(refusals.value?.count == 2)
    #expect(dispatcher.now == .start)
    #expect(dispatcher.pendingTasks.labels == ["task", "member"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is not needed where the answer is there already, also while this one steps")
  func alreadyEnded() throws {
    let outcome = Slot<Outcome>()
    let handle = dispatcher.background.submit {}
    try dispatcher.runUntilIdle()
    dispatcher.foreground { onAnotherThread { outcome.value = try? handle.wait() } }

    try dispatcher.runNextForegroundTask()

    #expect(outcome.value == .completed)
    try dispatcher.finish()
  }

  @Test("leaves the foreground to the test when it is over")
  func standsForTheForegroundAgain() throws {
    let seen = Slot<Bool>()
    let dispatcher = dispatcher

    onAnotherThread {
      try! dispatcher.background.sync { seen.value = dispatcher.isForeground }
    }

    #expect(seen.value == false)
    #expect(dispatcher.isForeground)
    try dispatcher.finish()
  }
}
