import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("What a wait that is refused says about the circle")
struct FailureMessageWaitTests {
  @Test("calls it an order that one thread cannot make, whatever the width", arguments: [3, 4, 5])
  func tellsOrderFromDeadlock(width: Int) throws {
    let dispatcher = RecordingDispatcher(.init(width: width))
    let index = dispatcher.makeQueue(label: "index", width: 1)
    let refusal = Confined<WaitRefusal?>(nil, to: dispatcher.foreground)

    index.async(label: "update") {
      // On threads this body waits, and another worker takes what "update" waits for.
      dispatcher.background.async(label: "flush") {
        let error = #expect(throws: WaitRefusal.self) { try index.sync {} }
        dispatcher.foreground { refusal.withValue { $0 = error } }
      }
      for _ in 3...width { dispatcher.background.async(label: "scan") {} }
      _ = try? dispatcher.background.submit(label: "hash") {}.wait()
    }
    try dispatcher.runUntilIdle()

    guard case .cannotBeOrdered = refusal.withValue({ $0 }) else {
      Issue.record("another refusal: \(String(describing: refusal.withValue { $0 }))")
      return
    }
    try dispatcher.finish()
  }

  @Test("names every task in a circle that goes through a sync body")
  func namesEveryTask() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    let index = dispatcher.makeQueue(label: "index", width: 1)
    let refusal = Confined<WaitRefusal?>(nil, to: dispatcher.foreground)

    store.async(label: "save") {
      try? index.sync {
        let error = #expect(throws: WaitRefusal.self) { try store.sync {} }
        dispatcher.foreground { refusal.withValue { $0 = error } }
      }
    }
    try dispatcher.runUntilIdle()

    guard case .wouldDeadlock(let chain) = refusal.withValue({ $0 }) else {
      Issue.record("another refusal: \(String(describing: refusal.withValue { $0 }))")
      return
    }
    #expect(chain.map(\.waiterQueue) == ["index", "store"])
    try dispatcher.finish()
  }
}
