/// A free list of task objects, for later tasks. The list runs through the objects.
struct FreeList: ~Copyable {
  private var first: QueuedTask?
  private(set) var count = 0

  /// How many objects a list keeps at most: some 300 KB.
  static let most = 1024

  mutating func add(_ task: consuming QueuedTask) {
    task.nextFree = first.take()
    first = task
    count += 1
  }

  mutating func take() -> QueuedTask? {
    guard let task = first.take() else { return nil }
    first = task.nextFree.take()
    count -= 1
    return task
  }

  deinit {
    // One by one: else each object would release the next, a thousand calls deep.
    var next = first
    while let task = next { next = task.nextFree.take() }
  }
}
