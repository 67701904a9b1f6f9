/// A free list of task objects, for later tasks. The list runs through the objects.
///
/// The link is the only property of the objects that is of their own type. So Swift releases a whole list in a loop,
/// and not a thousand calls deep.
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
}
