/// Names one element that waits in a ``DeadlineQueue``. Never names another: a place that is used
/// again counts on.
@usableFromInline package struct DeadlineTicket: Hashable, Sendable {
  @usableFromInline let place: Int32
  @usableFromInline let generation: UInt32

  @inlinable init(place: Int32, generation: UInt32) {
    self.place = place
    self.generation = generation
  }

  /// As a number, for who keeps it where others keep one.
  @inlinable package var bits: Int {
    Int(truncatingIfNeeded: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: place)))
  }

  @inlinable package init(bits: Int) {
    place = Int32(truncatingIfNeeded: bits)
    generation = UInt32(truncatingIfNeeded: bits >> 32)
  }
}

/// Elements that wait for a time, taken out earliest first and, when due together, oldest first.
///
/// One four-way heap whose entries know their place, so that a cancelled timer leaves at once and a
/// million that never fire cost no memory. A wheel would be two to three times as fast and would
/// round; here the order is exact and so is the next deadline.
///
/// Times are nanoseconds since an origin that the owner chooses. A value without lock, clock or
/// thread; both dispatchers wait in this type.
@usableFromInline package struct DeadlineQueue<Element>: ~Copyable {
  @usableFromInline package typealias Ticket = DeadlineTicket

  @usableFromInline struct Entry {
    /// Not before this time.
    @usableFromInline let due: Int64
    /// Not needed before this time: `due` and the tolerance.
    @usableFromInline let latest: Int64
    /// Order of arrival.
    @usableFromInline let sequence: UInt64
    @usableFromInline let place: Int32

    @inlinable init(due: Int64, latest: Int64, sequence: UInt64, place: Int32) {
      self.due = due
      self.latest = latest
      self.sequence = sequence
      self.place = place
    }

    @inlinable func precedes(_ other: Entry) -> Bool {
      due != other.due ? due < other.due : sequence < other.sequence
    }
  }

  @usableFromInline struct Place {
    @usableFromInline var element: Element?
    /// Where its entry stands in the heap; the next free place while this one is free.
    @usableFromInline var index: Int32
    @usableFromInline var generation: UInt32 = 0

    @inlinable init(element: consuming Element) {
      self.element = element
      index = 0
    }
  }

  @usableFromInline var heap = GrowableBuffer<Entry>()
  @usableFromInline var places = GrowableBuffer<Place>()
  @usableFromInline var firstFree: Int32 = -1
  @usableFromInline var nextSequence: UInt64 = 0

  @inlinable package init() {}

  @inlinable package var count: Int { heap.count }
  @inlinable package var isEmpty: Bool { heap.isEmpty }

  /// The earliest time at which an element is due. O(1).
  @inlinable package var nextDeadline: Int64? { heap.isEmpty ? nil : heap[0].due }

  /// The latest time at which a single look at the queue still serves everybody's tolerance.
  ///
  /// O(1) without tolerances, else O(elements that this look will find due).
  @inlinable package var nextWakeUp: Int64? {
    guard !heap.isEmpty else { return nil }
    let first = heap[0]
    var wakeUp = first.latest
    if wakeUp > first.due { findEarlierWakeUp(below: 0, &wakeUp) }
    return wakeUp
  }

  /// Adds `element`, to come out once `due` is reached. O(log n).
  ///
  /// - Parameter tolerance: Nanoseconds that it may be late if that saves a wake-up. Not negative.
  @inlinable @discardableResult
  package mutating func insert(
    _ element: consuming Element, due: Int64, tolerance: Int64 = 0
  ) -> Ticket {
    assert(tolerance >= 0, "a tolerance is not negative (tolerance: \(tolerance))")
    let place: Int32
    if firstFree >= 0 {
      place = firstFree
      firstFree = places[Int(place)].index
      places[Int(place)].element = element
    } else {
      place = Int32(places.count)
      places.append(Place(element: element))
    }
    let (latest, overflow) = due.addingReportingOverflow(tolerance)
    let entry = Entry(
      due: due, latest: overflow ? .max : latest, sequence: nextSequence, place: place)
    nextSequence += 1
    heap.append(entry)
    siftUp(entry, from: heap.count - 1)
    return Ticket(place: place, generation: places[Int(place)].generation)
  }

  /// Takes the next element that is due at `time` or before, and the time that it was due. O(log n).
  @inlinable package mutating func popNext(dueBy time: Int64) -> (element: Element, due: Int64)? {
    guard !heap.isEmpty, heap[0].due <= time else { return nil }
    let first = heap[0]
    removeEntry(at: 0)
    return (release(first.place), first.due)
  }

  /// Takes the element of `ticket` out, or returns nil if it is not here any more. O(log n).
  @inlinable package mutating func remove(_ ticket: Ticket) -> Element? {
    let place = Int(ticket.place)
    guard place >= 0, place < places.count, places[place].generation == ticket.generation,
      places[place].element != nil
    else { return nil }
    removeEntry(at: Int(places[place].index))
    return release(ticket.place)
  }

  /// Takes everything out, due or not, in the order in which it would have come due. O(n log n).
  @inlinable package mutating func removeAll() -> [Element] {
    var all: [Element] = []
    all.reserveCapacity(heap.count)
    while let next = popNext(dueBy: .max) { all.append(next.element) }
    return all
  }

  /// The element that comes due next, left in place. Nil if there is none. O(1).
  @inlinable package func withNext<Result>(_ body: (borrowing Element) -> Result) -> Result? {
    guard !heap.isEmpty else { return nil }
    return body(places[Int(heap[0].place)].element!)
  }

  /// Shows every element and its deadline, in no particular order.
  @inlinable package func forEach(_ body: (borrowing Element, _ due: Int64) -> Void) {
    for index in 0..<heap.count { body(places[Int(heap[index].place)].element!, heap[index].due) }
  }

  // MARK: The places

  @inlinable mutating func release(_ place: Int32) -> Element {
    let element = places[Int(place)].element.take()!
    places[Int(place)].generation &+= 1
    places[Int(place)].index = firstFree
    firstFree = place
    return element
  }

  // MARK: The heap

  @inlinable mutating func put(_ entry: Entry, at index: Int) {
    heap[index] = entry
    places[Int(entry.place)].index = Int32(truncatingIfNeeded: index)
  }

  @inlinable mutating func siftUp(_ entry: Entry, from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) >> 2
      guard entry.precedes(heap[parent]) else { break }
      put(heap[parent], at: index)
      index = parent
    }
    put(entry, at: index)
  }

  @inlinable mutating func siftDown(_ entry: Entry, from start: Int) {
    var index = start
    while true {
      let firstChild = index << 2 + 1
      guard firstChild < heap.count else { break }
      var earliest = firstChild
      for child in (firstChild + 1)..<max(firstChild + 1, min(firstChild + 4, heap.count))
      where heap[child].precedes(heap[earliest]) {
        earliest = child
      }
      guard heap[earliest].precedes(entry) else { break }
      put(heap[earliest], at: index)
      index = earliest
    }
    put(entry, at: index)
  }

  @inlinable mutating func removeEntry(at index: Int) {
    let last = heap.removeLast()
    guard index < heap.count else { return }
    if index > 0, last.precedes(heap[(index - 1) >> 2]) {
      siftUp(last, from: index)
    } else {
      siftDown(last, from: index)
    }
  }

  /// Looks only where an entry is due before the wake-up found so far; no other can make it earlier.
  @inlinable func findEarlierWakeUp(below index: Int, _ wakeUp: inout Int64) {
    let firstChild = index << 2 + 1
    for child in firstChild..<max(firstChild, min(firstChild + 4, heap.count))
    where heap[child].due < wakeUp {
      wakeUp = min(wakeUp, heap[child].latest)
      findEarlierWakeUp(below: child, &wakeUp)
    }
  }
}
