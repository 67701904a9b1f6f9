/// Objects of tasks that have ended, for others: a list that runs through them.
struct Spares: ~Copyable {
  private var first: QueuedTask?
  private(set) var count = 0

  /// Some 300 KB for each kind.
  static let most = 1024

  mutating func add(_ task: consuming QueuedTask) {
    task.nextSpare = first.take()
    first = task
    count += 1
  }

  mutating func take() -> QueuedTask? {
    guard let task = first.take() else { return nil }
    first = task.nextSpare.take()
    count -= 1
    return task
  }

  deinit {
    // One by one: each would let go of the next, a thousand calls deep.
    var next = first
    while let task = next { next = task.nextSpare.take() }
  }
}
