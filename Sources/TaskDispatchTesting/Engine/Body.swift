internal import TaskDispatch

/// A body that runs, or is about to: the frame it runs in, and what the fake knows of it.
final class Body: TaskFrame {
  let entry: Entry
  let started: PoolOrder<Entry>.Started?
  /// Made when the body submits something. Under the dispatcher's lock.
  var lineage: Lineage?
  /// What the body stands still for, while it does. Under the dispatcher's lock.
  var waitsFor: (name: String, queue: TaskQueue.Identity?)?

  init(
    _ entry: Entry, queue: TaskQueue.Identity, label: String,
    started: PoolOrder<Entry>.Started?, shutdown: ShutdownFlag, hidesOuter: Bool
  ) {
    self.entry = entry
    self.started = started
    super.init(
      queue: queue, queueLabel: label, site: entry.site, item: entry.item, shutdown: shutdown,
      hidesOuter: hidesOuter)
  }

  var record: TaskRecord { entry.record(lane: queue.lane, queue: queueLabel) }
}
