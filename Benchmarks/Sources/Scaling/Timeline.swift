/// Simulated time, and its events: the earliest first, and of those that are due together the one that
/// was requested first.
final class Timeline {
  private struct Event {
    let time: Double
    let number: Int
    let action: () -> Void

    func isBefore(_ other: Event) -> Bool {
      time == other.time ? number < other.number : time < other.time
    }
  }

  /// In nanoseconds.
  private(set) var now = 0.0
  private var heap: [Event] = []
  private var count = 0
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  func after(_ delay: Double, _ action: @escaping () -> Void) {
    count += 1
    heap.append(Event(time: now + delay, number: count, action: action))
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  func run(until end: Double) {
    while let first = heap.first, first.time <= end {
      now = first.time
      removeFirst()
      first.action()
    }
    now = end
  }

  private func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].isBefore(heap[least]) { least = child }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  /// A number below `count`, which the seed decides.
  func choose(_ count: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(count))
  }
}
