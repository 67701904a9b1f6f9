internal import TaskDispatch

/// A body that runs, or is about to: the frame it runs in, and what the fake knows of it.
final class Body: TaskFrame {
  let entry: Entry
  /// Its share of the background; nil on the foreground and inside a submission.
  let lease: PoolOrder<Entry>.Lease?
  // The rest is touched under the dispatcher's lock only.
  /// Made when the body submits something.
  private(set) var lineage: Lineage?
  /// What the body stands still for, while it does.
  var waitsFor: (name: String, queue: TaskQueue.Identity?)?
  /// A shutdown has given it up: it has its outcome, and its end changes nothing.
  var isAbandoned = false

  init(
    _ entry: Entry, dispatcher: ObjectIdentifier, lease: PoolOrder<Entry>.Lease?,
    shutdown: ShutdownFlag, hidesOuter: Bool
  ) {
    self.entry = entry
    self.lease = lease
    super.init(
      queue: TaskQueue.Identity(
        dispatcher: dispatcher, view: entry.view.map { ObjectIdentifier($0) }, lane: entry.lane),
      queueLabel: entry.queue, site: entry.site, item: entry.item, shutdown: shutdown,
      hidesOuter: hidesOuter)
  }

  var record: TaskRecord { entry.record }

  /// What the tasks that it submits remember of it.
  func lineageForChild() -> Lineage {
    if let lineage { return lineage }
    let made = Lineage(record, parent: entry.parent)
    lineage = made
    return made
  }
}
