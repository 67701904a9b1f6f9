// Three verbs over a dispatcher, and hooks that show which lane runs inside which.
import TaskDispatch
import TaskDispatchTesting

/// What most code needs of a dispatcher, in three verbs.
struct Work {
  let dispatcher: any TaskDispatcher

  /// Off the loop, to a worker.
  func offload(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> Void
  ) {
    dispatcher.background(fileID: fileID, line: line, body)
  }

  /// Onto the loop's thread.
  func main(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> Void
  ) {
    dispatcher.foreground(fileID: fileID, line: line, body)
  }

  /// Onto the loop's thread, later.
  @discardableResult
  func after(
    _ delay: Duration, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> TimerHandle {
    dispatcher.foreground.after(delay, fileID: fileID, line: line, body)
  }
}

/// Writes down each body that a fake enters and leaves, indented by what is around it.
func traceLanes(of fake: RecordingDispatcher, into note: @escaping @Sendable (String) -> Void) {
  // Weak: the fake keeps its hooks, so a hook that kept the fake would keep both for ever.
  let margin: @Sendable () -> String = { [weak fake] in
    String(repeating: "  ", count: (fake?.runningTasks.count ?? 1) - 1)
  }
  fake.onEnter = { note(margin() + "\($0.lane) {") }
  fake.onExit = { _ in note(margin() + "}") }
}

/// A job that goes to a worker, comes back, and is heard of once more a second later.
func importFile(_ work: Work) {
  work.offload {
    work.main {
      work.after(.seconds(1)) {}
    }
  }
}

for policy in [RecordingDispatcher.Policy.inline, .manual] {
  print("\(policy):")
  let dispatcher = RecordingDispatcher(.init(policy: policy))
  traceLanes(of: dispatcher) { print("  \($0)") }
  importFile(Work(dispatcher: dispatcher))
  try dispatcher.advanceTime(by: .seconds(1))
  try dispatcher.finish()
}
