internal import TaskDispatch

/// The background: the order in which its queues get the workers, its views, and which of these have tasks in their
/// inboxes. A value under the dispatcher's lock.
struct Background: ~Copyable {
  var pool: PoolOrder<Entry>
  /// Whether the inboxes take anything in.
  var isOpen: Bool
  private var known: [KnownView] = []
  /// The views that a thread drains now, in the order in which they were marked ready. Empty at all other times.
  var ready = Ring<UVView>()
  /// Full views. The thread that ends a task of such a view drains its inbox. A task of each runs, or is about to
  /// run: so there are no more of them than threads.
  private(set) var full: [UVView] = []

  private struct KnownView {
    weak var life: UVView.Life?
  }

  init(_ pool: consuming PoolOrder<Entry>, isOpen: Bool) {
    self.pool = pool
    self.isOpen = isOpen
  }

  /// The views that still exist, because other code or waiting work refers to them, in the order in which they were
  /// made.
  var views: [PoolView<Entry>] { lives.map(\.pool) }

  var lives: [UVView.Life] { known.compactMap(\.life) }

  /// The views whose inboxes are drained only when a task of them ends.
  var viewsDrainedOnCompletion: [UVView] { full }

  mutating func add(_ view: UVView) {
    if known.count >= 16, known.count == known.capacity {
      known.removeAll { $0.life == nil }
    }
    known.append(KnownView(life: view.life))
  }

  /// Notes whether the thread that next ends a task of `view` drains the view's inbox.
  mutating func note(_ view: UVView, isDrainedOnCompletion: Bool) {
    view.isDrainedOnCompletion = isDrainedOnCompletion
    if isDrainedOnCompletion {
      full.append(view)
    } else {
      full.removeAll { $0 === view }
    }
  }
}
