internal import TaskDispatch

/// A view of a ``UVDispatcher``'s background: a queue of limited width on the pool.
final class UVView: QueueView, @unchecked Sendable {
  // Touched under the dispatcher's lock, the inbox and the executors aside.
  let inbox: ViewInbox
  /// The view is full. So its inbox stays notified, and the thread that next ends one of its tasks drains it.
  @safe @exclusivity(unchecked) var isDrainedOnCompletion = false
  /// A shutdown has let a job of a Swift Task that waited here go on elsewhere. Later jobs follow it.
  var isStranded = false
  let pool: PoolView<Entry>
  let statistics: QueueStatistics
  /// Those of ``statistics``, stored here so that they are found at once.
  let counts: Owned<OutcomeCounts>.Link
  let life: Life
  /// The place in the order of submission behind which the plain tasks came that wait here.
  var orderOfPlain: UInt64 = 0
  /// A Task keeps its executor, and the executor keeps the view.
  let taskExecutor = Locked(KnownTaskExecutor())
  /// An actor keeps the view, and the view keeps the executor.
  let serialExecutor = LazyObject<UVSerialExecutor>()

  /// The index of the view among ``RecordedQueues``; nil if nothing is recorded.
  let recorded: UInt32?

  /// The limit of the view; nil if it has none.
  @inline(__always) var flow: FlowControl? { inbox.flow }

  /// Lives as long as the view. The list of all views refers weakly to this, and not to the view: a weak reference
  /// makes each change of an object's reference count three times as slow, and the view's changes with each of its
  /// tasks.
  final class Life {
    let pool: PoolView<Entry>
    let label: String
    let width: Int
    /// Nil without a limit.
    let flow: FlowControl?
    let statistics: QueueStatistics

    init(
      _ pool: PoolView<Entry>, label: String, width: Int, flow: FlowControl?,
      _ statistics: QueueStatistics
    ) {
      self.pool = pool
      self.label = label
      self.width = width
      self.flow = flow
      self.statistics = statistics
    }
  }

  /// The dispatcher that has made the view.
  let owner: WorkItem.DispatcherName

  init(
    label: String, width: Int, overflow: Overflow = .unbounded, workerWidth: Int, agingStep: Int64,
    of owner: WorkItem.DispatcherName = .none, recordedAs index: UInt32? = nil
  ) {
    self.owner = owner
    recorded = index
    inbox = ViewInbox(isForTwo: width > 1, overflow: overflow)
    pool = PoolView(width: width, workerWidth: workerWidth, agingStep: agingStep) {
      entry, position in entry.move(to: position)
    }
    statistics = QueueStatistics(recordedAs: index)
    counts = statistics.link
    life = Life(pool, label: label, width: width, flow: inbox.flow, statistics)
    super.init(label: label, width: width)
  }
}
