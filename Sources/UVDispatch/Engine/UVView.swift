internal import TaskDispatch

/// A view of a ``UVDispatcher``'s background.
final class UVView: QueueView, @unchecked Sendable {
  // Touched under the dispatcher's lock, the inbox and the executors aside.
  let inbox: ViewInbox
  /// It is full, and so its inbox attended.
  @safe @exclusivity(unchecked) var attendsItself = false
  /// A shutdown has left a job of a Swift Task that waited here to go on elsewhere. Later ones follow it.
  var isStranded = false
  let pool: PoolView<Entry>
  let life: Life
  /// After which task the first of the plain bodies came that wait here.
  var orderOfPlain: UInt64 = 0
  var limited = 0
  /// A Task keeps its executor, and that the view.
  let taskExecutor = Locked(KnownTaskExecutor())
  /// An actor keeps the view, and that its executor.
  let serialExecutor = LazyObject<UVSerialExecutor>()

  /// Gone when the view is. The list of all views refers weakly to this, and not to the view: a weak reference makes
  /// each change of an object's count three times as slow, and the view's changes with each of its tasks.
  final class Life {
    let pool: PoolView<Entry>

    init(_ pool: PoolView<Entry>) { self.pool = pool }
  }

  init(label: String, width: Int, workerWidth: Int, agingStep: Int64) {
    inbox = ViewInbox(isForTwo: width > 1)
    pool = PoolView(width: width, workerWidth: workerWidth, agingStep: agingStep) {
      entry, position in entry.move(to: position)
    }
    life = Life(pool)
    super.init(label: label, width: width)
  }
}
