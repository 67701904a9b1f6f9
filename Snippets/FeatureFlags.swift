// Feature flags on a queue of width 4: reads run beside each other, writes alone.
import TaskDispatch
import TaskDispatchTesting

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

let dispatcher = RecordingDispatcher()
let flags = FeatureFlags(dispatcher: dispatcher)

flags.set("dark mode", to: true)
print("dark mode, read behind a write that waits: \(try flags.isOn("dark mode"))")

flags.refresh(from: ["file": { ["beta": true] }, "server": { ["dark mode": false] }]) {
  print("refreshed")
}
try dispatcher.runUntilIdle()
print("dark mode: \(try flags.isOn("dark mode")), beta: \(try flags.isOn("beta"))")
print(dispatcher.ran.joined(separator: ", "))
try dispatcher.finish()
