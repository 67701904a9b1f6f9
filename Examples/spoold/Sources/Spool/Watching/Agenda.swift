internal import TaskDispatch

/// Elements with a time, the earliest first: a binary heap.
struct Agenda<Element> {
  private var heap: [(element: Element, due: DispatcherInstant)] = []

  /// The earliest time.
  var first: DispatcherInstant? { heap.first?.due }

  mutating func insert(_ element: Element, due: DispatcherInstant) {
    heap.append((element, due))
    var index = heap.count - 1
    while index > 0, heap[index].due < heap[(index - 1) / 2].due {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Takes the earliest out, unless it comes after `now`.
  mutating func popFirst(dueBy now: DispatcherInstant) -> (Element, DispatcherInstant)? {
    guard let top = heap.first, top.due <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while case let child = earlierChild(of: index), child < heap.count,
      heap[child].due < heap[index].due
    {
      heap.swapAt(index, child)
      index = child
    }
    return top
  }

  private func earlierChild(of index: Int) -> Int {
    let left = 2 * index + 1
    return left + 1 < heap.count && heap[left + 1].due < heap[left].due ? left + 1 : left
  }
}
