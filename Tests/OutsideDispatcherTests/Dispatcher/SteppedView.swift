import TaskDispatch

/// A view of a ``SteppedDispatcher``.
final class SteppedView: QueueView, @unchecked Sendable {
  // Immutable, but for the executors, which have a lock of their own. The lock of the dispatcher guards the line.
  let owner: ObjectIdentifier
  let line: Line
  let executors = Guarded(Executors())

  /// A Task retains its executor, and that retains the view, so the view refers to it weakly. An actor retains its
  /// queue, and that retains the view, so the view may retain the executor of actors.
  struct Executors {
    weak var ofTasks: SteppedTaskExecutor?
    var ofActors: SteppedActorExecutor?
  }

  init(_ options: QueueOptions, _ overflow: Overflow, of owner: ObjectIdentifier) {
    self.owner = owner
    line = Line(.background, width: options.width, label: options.label, overflow)
    super.init(label: options.label, width: options.width)
    line.view = self
  }
}
