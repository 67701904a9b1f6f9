import TaskDispatch

/// A submission of a ``SteppedDispatcher``, from its acceptance to its end. It is also the running-task context of the
/// body.
///
/// The lock of the dispatcher guards what changes.
final class SteppedTask: TaskContext {
  /// What the item was made for.
  enum Role {
    /// Code outside of the dispatcher has made it: a submission with options, a timer, a notification.
    case item
    /// `post` has made it. The task has no handle.
    case plain
    /// It runs a job of a Swift Task.
    case job(UnownedJob, any SteppedExecutor)
    /// It stands in the queue for a caller of `sync`, whose call runs the body itself.
    case caller
  }

  let number: UInt64
  let taken: TakenItem
  let role: Role
  let line: Line
  let parent: TaskID?
  let enqueuedAt: DispatcherInstant
  /// When it was submitted, or when its time came if it is a timer. The time to live counts from here.
  var since: DispatcherInstant
  /// Whether it is a timer whose time has come.
  var isDue = false
  /// Whether a shutdown has given it up while it ran. The end of its body then changes nothing.
  var isAbandoned = false

  init(
    _ taken: TakenItem, _ role: Role, number: UInt64, in line: Line, parent: TaskID?,
    at time: DispatcherInstant, dispatcher: ObjectIdentifier, shutdown: ShutdownFlag
  ) {
    self.taken = taken
    self.role = role
    self.number = number
    self.line = line
    self.parent = parent
    enqueuedAt = time
    since = time
    let item: WorkItem? = if case .item = role { taken.item } else { nil }
    super.init(
      queue: TaskQueue.Identity(
        dispatcher: dispatcher, view: line.view.map { ObjectIdentifier($0) }, lane: line.lane),
      site: taken.item.site, item: item, shutdown: shutdown)
  }

  override var label: String? { taken.item.label }
  override var queueLabel: String { line.label }
  override var isSwiftTask: Bool { if case .job = role { true } else { false } }

  var isCaller: Bool { if case .caller = role { true } else { false } }
  /// Whether it needs a worker while it runs.
  var needsWorker: Bool { line.lane == .background && !isCaller }
  /// Whether the limit of its queue counts it.
  var countsAgainstLimits: Bool {
    switch role {
    case .item, .plain: taken.item.countsAgainstLimits
    case .job, .caller: false
    }
  }

  /// The item that user code has the handle of: the timer, if this is a run of one.
  var handled: WorkItem { (taken.timerOfRun?.taken ?? taken).item }

  /// Whether a wait for `target` ends only when this task has ended, or later.
  func ends(_ target: WaitTarget) -> Bool {
    switch target {
    case .item(let item): handled === item
    case .group(let group, _): handled.group === group
    }
  }

  /// Whether its time to live is over.
  func isExpired(at time: DispatcherInstant) -> Bool {
    guard let timeToLive = taken.item.timeToLive else { return false }
    return time > since.advanced(by: timeToLive)
  }

  var record: TaskRecord {
    TaskRecord(
      id: TaskID(number), label: label, lane: line.lane, queue: line.label, site: site,
      band: taken.item.band, parent: parent, enqueuedAt: enqueuedAt)
  }
}
