import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("The chain of a deadlock")
struct WaitChainTests {
  private let dispatcher = RecordingDispatcher(.init(width: 3))
  private let refusal = Slot<WaitRefusal>()

  /// The links of the deadlock for which the call was refused, from the calling body outwards.
  private func links() throws -> [WaitLink] {
    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("no deadlock was refused: \(refusal.value as Any)")
      throw CancellationError()
    }
    return chain
  }

  @Test("of a sync in itself begins with the sync that runs")
  func syncInItself() throws {
    let store = dispatcher.makeQueue(label: "store", width: 4)

    let log = Log()
    let line = #line + 1
    try store.sync {
      refusal.value = waitRefusal { try store.sync { log.note("ran") } }
    }

    let chain = try links()
    #expect(chain.map(\.waiterQueue) == ["store"])
    #expect(chain[0].waiter.hasSuffix("WaitChainTests.swift:\(line)"))
    #expect(chain[0].waitsFor == "its turn on store")
    #expect(log.all.isEmpty)
    try dispatcher.finish()
  }

  @Test("goes round a circle of three queues, and its description names all of them")
  func circleOfThree() throws {
    let refusal = refusal
    let one = dispatcher.makeQueue(label: "one", width: 1)
    let two = dispatcher.makeQueue(label: "two", width: 1)
    let three = dispatcher.makeQueue(label: "three", width: 1)
    three.async(label: "third") { refusal.value = waitRefusal { try one.sync {} } }
    two.async(label: "second") { try! three.sync {} }
    one.async(label: "first") { try! two.sync {} }

    try dispatcher.runTask(labeled: "first")

    let chain = try links()
    #expect(chain.map(\.waiterQueue) == ["three", "two", "one"])
    #expect(
      chain.map(\.waitsFor) == ["its turn on one", "its turn on three", "its turn on two"])
    let text = refusal.value?.description ?? ""
    for label in ["first", "second", "third"] { #expect(text.contains("\"\(label)\"")) }
    #expect(dispatcher.ran.filter { ["first", "second", "third"].contains($0) }.count == 3)
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
  }

  @Test("goes through a wait for a task as well as through a sync")
  func mixed() throws {
    let refusal = refusal
    let dispatcher = dispatcher
    let worker = dispatcher.background.submit(label: "worker") {
      refusal.value = waitRefusal { try dispatcher.foreground.sync {} }
    }
    dispatcher.foreground.async(label: "loop") { _ = try! worker.wait() }

    try dispatcher.runNextForegroundTask()

    let chain = try links()
    #expect(chain.map(\.waiterQueue) == ["background", "foreground"])
    #expect(chain.map(\.waitsFor) == ["its turn on foreground", "\"worker\""])
    try dispatcher.finish()
  }

  @Test("of a task that waits for one that waits for it has both")
  func twoTasks() throws {
    let refusal = refusal
    let outer = Slot<TaskHandle<Void>>()
    let inner = dispatcher.background.submit(label: "inner") {
      refusal.value = waitRefusal { try outer.value!.wait() }
    }
    outer.value = dispatcher.foreground.submit(label: "outer") { _ = try! inner.wait() }

    try dispatcher.runNextForegroundTask()

    let chain = try links()
    #expect(chain.map(\.waiterQueue) == ["background", "foreground"])
    #expect(chain.map(\.waitsFor) == ["\"outer\"", "\"inner\""])
    try dispatcher.finish()
  }

  @Test("is told once: the wait that was refused counts as refused or cancelled, never twice")
  func accounts() throws {
    let refusal = refusal
    let store = dispatcher.makeQueue(label: "store", width: 1)
    store.async(label: "waits") { refusal.value = waitRefusal { try store.sync {} } }

    try dispatcher.runUntilIdle()

    #expect(try links().count == 1)
    let ledger = dispatcher.ledger
    #expect(ledger.balances)
    #expect(ledger.submitted == 2)
    #expect(ledger.completed == 1)
    #expect(ledger.refused + ledger.cancelled == 1)
    try dispatcher.finish()
  }

  @Test("is not needed where the policy forbids any use: the wait is refused as such")
  func unimplemented() throws {
    let dispatcher = RecordingDispatcher(.init(policy: .unimplemented))

    guard case .refused(.unimplemented) = waitRefusal({ try dispatcher.background.sync {} })
    else { return }

    #expect(finishError(dispatcher)?.unexpectedUses.count == 1)
  }
}
