import TaskDispatch
import TaskDispatchTesting

@testable import UVDispatch

/// Makes tasks, items and views that wait nowhere and that no thread runs, for a part that only keeps them.
struct LooseWork {
  /// A queue has a dispatcher. This one is given nothing.
  private let owner = RecordingDispatcher()
  private let flag = ShutdownFlag()

  func view(_ label: String = "view", width: Int = 1) -> UVView {
    UVView(label: label, width: width, workerWidth: width, agingStep: 1)
  }

  func task(
    _ number: UInt64 = 0, on lane: Lane = .background, _ view: UVView? = nil,
    work: consuming QueuedTask.Work = .plain {}
  ) -> QueuedTask {
    let queue = TaskQueue.Identity(
      dispatcher: ObjectIdentifier(owner), view: view.map { ObjectIdentifier($0) }, lane: lane)
    return QueuedTask(
      work, id: number, queue: queue, view: view, isBarrier: false, site: .here(), parent: nil,
      at: nil, shutdown: flag)
  }

  /// - Parameters:
  ///   - due: In nanoseconds.
  ///   - tolerance: In nanoseconds.
  func item(
    _ kind: WorkItem.Kind = .task, on lane: Lane = .background, _ view: UVView? = nil,
    label: String? = nil, due: Int64? = nil, tolerance: Int64 = 0,
    repetition: Repetition? = nil, group: WorkGroup? = nil,
    body: sending @escaping () throws -> Void = {}
  ) -> WorkItem {
    WorkItem.make(
      kind: kind, queue: TaskQueue(dispatcher: owner, view: view, lane: lane), label: label,
      site: .here(), due: due.map { DispatcherInstant(nanoseconds: $0) },
      tolerance: .nanoseconds(tolerance), repetition: repetition, group: group, body: body)
  }

  /// A timer that repeats each hundred nanoseconds.
  func repeating(_ label: String? = nil, due: Int64 = 100) -> RepeatingItem {
    let repetition = Repetition(every: .nanoseconds(100), catchUp: .all)
    return item(.repeating, label: label, due: due, repetition: repetition) as! RepeatingItem
  }
}
