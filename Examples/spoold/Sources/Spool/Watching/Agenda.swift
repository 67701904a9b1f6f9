internal import TaskDispatch

/// Elements with a time, the earliest first; of equal times, the one that was inserted first. A binary
/// heap.
struct Agenda<Element> {
  private struct Entry {
    let element: Element
    let due: DispatcherInstant
    let number: UInt64

    func precedes(_ other: Entry) -> Bool { (due, number) < (other.due, other.number) }
  }

  private var heap: [Entry] = []
  private var nextNumber: UInt64 = 0

  /// The earliest time.
  var first: DispatcherInstant? { heap.first?.due }

  mutating func insert(_ element: Element, due: DispatcherInstant) {
    heap.append(Entry(element: element, due: due, number: nextNumber))
    nextNumber += 1
    var index = heap.count - 1
    while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the first element, unless it is due after `now`.
  mutating func popFirst(
    dueBy now: DispatcherInstant = .distantFuture
  ) -> (element: Element, due: DispatcherInstant)? {
    guard let top = heap.first, top.due <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while case let child = earlierChild(of: index), child < heap.count,
      heap[child].precedes(heap[index])
    {
      heap.swapAt(index, child)
      index = child
    }
    return (top.element, top.due)
  }

  private func earlierChild(of index: Int) -> Int {
    let left = 2 * index + 1
    return left + 1 < heap.count && heap[left + 1].precedes(heap[left]) ? left + 1 : left
  }
}
