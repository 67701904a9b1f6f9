import TaskDispatch
import TaskDispatchTesting
import Testing

/// Documentation/FeatureFlags.md shows the type and the first test.
@Suite("The third idea: feature flags on a concurrent queue")
struct FeatureFlagsRecipeTests {
  /// Which features are on. Any thread may ask and change; one queue keeps the order.
  final class FeatureFlags: Sendable {
    typealias Source = @Sendable () -> [String: Bool]

    // Changed only in barriers of `queue` and read only in its other tasks. A barrier runs alone in
    // its queue (rule 6), so no read can meet a write.
    private final class Storage: @unchecked Sendable {
      var values: [String: Bool] = [:]
    }

    let queue: TaskQueue
    private let foreground: TaskQueue
    private let storage = Storage()

    init(dispatcher: any TaskDispatcher) {
      queue = dispatcher.makeQueue(label: "flags", width: 4)
      foreground = dispatcher.foreground
    }

    /// Whether `flag` is on, after every change that was made before the call.
    func isOn(_ flag: String) throws -> Bool {
      try queue.sync { storage.values[flag] ?? false }
    }

    func set(_ flag: String, to isOn: Bool, group: WorkGroup? = nil) {
      queue.barrier.async(priority: .high, label: "set \(flag)", group: group) { [storage] in
        storage.values[flag] = isOn
      }
    }

    /// Asks all sources side by side, behind whatever is more urgent, and calls `done` on the
    /// foreground when every answer is in.
    func refresh(from sources: [String: Source], done: @escaping @Sendable () -> Void) {
      let group = WorkGroup()
      for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
        queue.async(priority: .low, label: "ask \(name)", group: group) {
          // The changes join the group before this task leaves it, so it cannot empty in between.
          for (flag, isOn) in source() { self.set(flag, to: isOn, group: group) }
        }
      }
      group.notify(on: foreground, label: "refreshed", done)
    }
  }

  // Each argument is a test of its own with a dispatcher of its own, so they all run in parallel.
  @Test("reads what was written before, in a hundred tests at a time", arguments: 0..<100)
  func readsWhatWasWrittenBefore(number: Int) throws {
    let dispatcher = RecordingDispatcher()
    let flags = FeatureFlags(dispatcher: dispatcher)

    flags.set("dark mode", to: number.isMultiple(of: 2))
    #expect(dispatcher.ran == [])

    #expect(try flags.isOn("dark mode") == number.isMultiple(of: 2))
    try dispatcher.finish()
  }

  @Test("does not run a later read before a write that waits")
  func readsStandBehindWrites() throws {
    let dispatcher = RecordingDispatcher()
    let flags = FeatureFlags(dispatcher: dispatcher)

    flags.queue.async(label: "read before") {}
    flags.set("beta", to: true)
    flags.queue.async(label: "read after") {}
    let error = #expect(throws: StepError.self) { try dispatcher.runTask(labeled: "read after") }

    guard case .notRunnable(let task) = error, case .barrier(let barrier) = task.obstacle else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(barrier?.label == "set beta")
    try dispatcher.runUntilIdle()
    #expect(dispatcher.ran == ["read before", "set beta", "read after"])
    try dispatcher.finish()
  }

  @Test("refuses to read inside a task of its own queue, where it would wait for itself")
  func refusesToReadInside() throws {
    let dispatcher = RecordingDispatcher()
    let flags = FeatureFlags(dispatcher: dispatcher)

    flags.queue {
      let error = #expect(throws: WaitRefusal.self) { try flags.isOn("beta") }
      guard case .wouldDeadlock = error else {
        Issue.record("another error: \(String(describing: error))")
        return
      }
    }

    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("starts four reads at a time, and a write beside none")
  func writesAlone() throws {
    let dispatcher = RecordingDispatcher(.init(width: 8))
    let flags = FeatureFlags(dispatcher: dispatcher)

    for number in 1...5 { flags.queue.async(label: "read \(number)") {} }
    flags.set("beta", to: true)

    #expect(dispatcher.runnableTasks.map(\.task.label) == (1...4).map { "read \($0)" })
    try dispatcher.runUntilIdle()
    #expect(dispatcher.ran.last == "set beta")
    try dispatcher.finish()
  }

  @Test("says that it has refreshed when every source has answered and every change is made")
  func tellsWhenRefreshed() throws {
    let dispatcher = RecordingDispatcher()
    let flags = FeatureFlags(dispatcher: dispatcher)
    let doneAfter = Confined([[Bool]](), to: dispatcher.foreground)

    flags.refresh(from: ["file": { ["beta": true] }, "server": { ["dark mode": true] }]) {
      let values = ["beta", "dark mode"].compactMap { try? flags.isOn($0) }
      doneAfter.withValue { $0.append(values) }
    }
    try dispatcher.runUntilIdle()

    #expect(doneAfter.withValue { $0 } == [[true, true]])
    try dispatcher.finish()
  }

  @Test("asks its sources behind more urgent work of the same queue")
  func asksBehindUrgentWork() throws {
    let dispatcher = RecordingDispatcher()
    let flags = FeatureFlags(dispatcher: dispatcher)

    flags.refresh(from: ["server": { [:] }]) {}
    flags.queue.async(priority: .high, label: "urgent") {}
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["urgent", "ask server", "refreshed"])
    try dispatcher.finish()
  }

  @Test("lets its queue go, after reads and changes and with a change that waits")
  func letsTheQueueGo() throws {
    weak var released: QueueView?

    do {
      let flags = FeatureFlags(dispatcher: RecordingDispatcher())
      released = flags.queue.view
      flags.set("beta", to: true)
      #expect(try flags.isOn("beta"))
      flags.set("beta", to: false)
    }

    #expect(released == nil)
  }
}
