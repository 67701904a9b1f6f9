internal import TaskDispatch

/// A task that waits in one of the fake's queues.
struct Entry: PoolEntry {
  enum Work {
    case plain(@Sendable () -> Void)
    case item(WorkItem)
    case job(UnownedJob, any RecordingExecutor)
    case caller(SyncCaller)
    case event(PendingEvent)
  }

  let work: Work
  let id: UInt64
  let site: CallSite
  /// When it was submitted.
  let enqueuedAt: Int64
  let parent: Lineage?
  /// Keeps its view alive: a queue that nobody holds any more still runs what it was given.
  let view: RecordingView?
  let lane: Lane

  var runsOnCaller: Bool {
    if case .caller = work { true } else { false }
  }

  var item: WorkItem? {
    if case .item(let item) = work { item } else { nil }
  }

  /// Whether the limit of its queue counts it.
  var countsAgainstLimits: Bool {
    switch work {
    case .plain: true
    case .item(let item): item.countsAgainstLimits
    case .job, .caller, .event: false
    }
  }

  var queue: String { view?.label ?? lane.description }

  var record: TaskRecord {
    let label: String?
    switch work {
    case .plain, .job, .caller: label = nil
    case .item(let item): label = item.label
    case .event(let event): label = event.name
    }
    return TaskRecord(
      id: TaskID(id), label: label, lane: lane, queue: queue, site: site,
      parent: parent?.record.id, enqueuedAt: DispatcherInstant(nanoseconds: enqueuedAt))
  }
}

/// Somebody who stands in `sync`. The fake's one thread is standing there.
final class SyncCaller {
  /// Its entry, while it waits; and where that stands.
  var entry: Entry?
  var position = 0
  /// Set when the caller's turn has come.
  var granted: PoolOrder<Entry>.Started?
}

/// A signal or a descriptor's readiness that waits for the foreground.
final class PendingEvent {
  /// The registration's.
  let number: UInt64
  let name: String
  /// Where it waits.
  var position = 0
  /// Deliveries that this one call stands for.
  var deliveries = 1
  var readiness: Readiness = []
  let perform: @Sendable (PendingEvent) -> Void

  init(number: UInt64, name: String, perform: @escaping @Sendable (PendingEvent) -> Void) {
    self.number = number
    self.name = name
    self.perform = perform
  }
}

/// A view of the fake's background.
final class RecordingView: QueueView, @unchecked Sendable {
  // Touched only under the dispatcher's lock, the executors aside, which have their own.
  let pool: PoolView<Entry>
  /// Tasks that wait here and that the limit counts.
  var limited = 0
  let executors = Locked(Executors())

  /// The view's executors. A Task keeps its own, and that keeps the view; an actor keeps the view,
  /// and that keeps the other.
  struct Executors {
    weak var task: RecordingTaskExecutor?
    var serial: RecordingSerialExecutor?
  }

  init(
    label: String, width: Int, workerWidth: Int, agingStep: Int64,
    relocated: @escaping (borrowing Entry, Int) -> Void
  ) {
    pool = PoolView(
      width: width, workerWidth: workerWidth, agingStep: agingStep, relocated: relocated)
    super.init(label: label, width: width)
  }
}
