/// Identifies one element that waits in a ``DeadlineQueue``. It never identifies another element: each time
/// that a place is used again, its generation increases.
@usableFromInline package struct DeadlineTicket: Hashable, Sendable {
  @usableFromInline let place: Int32
  @usableFromInline let generation: UInt32

  @inlinable init(place: Int32, generation: UInt32) {
    self.place = place
    self.generation = generation
  }

  /// The ticket as a number. An item stores it in the field that otherwise holds its position in a queue.
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
/// The elements stand in four-way heaps that know the index of each element. So a cancelled timer is removed
/// at once, and a million timers that are cancelled cost no memory. A timer wheel would be two to three times
/// as fast, but it would round; here the order is exact, and so is the next deadline.
///
/// Elements without a tolerance stand in one heap. Elements with a tolerance stand in two other heaps:
/// ordered by the time at which they are due, and by the latest time that their tolerance allows. So the next
/// wake-up is the smaller of two heads, and elements without a tolerance pay nothing for the others.
///
/// Times are nanoseconds since an origin that the owner chooses. A value without lock, clock or thread. Both
/// dispatchers keep their timers in this type.
@usableFromInline package struct DeadlineQueue<Element>: ~Copyable {
  @usableFromInline package typealias Ticket = DeadlineTicket

  @usableFromInline struct Place {
    @usableFromInline var element: Element?
    @usableFromInline var generation: UInt32 = 0
    /// For a free place: the next free place, or -1. For a place in use: 1 if its element has a tolerance,
    /// else 0.
    @usableFromInline var link: Int32

    @inlinable init(element: consuming Element, hasTolerance: Bool) {
      self.element = element
      link = hasTolerance ? 1 : 0
    }

    /// Whether its element has a tolerance. Only for a place in use.
    @inlinable var hasTolerance: Bool { link == 1 }
  }

  /// The elements without a tolerance, ordered by the time at which they are due.
  @usableFromInline var exact = DeadlineHeap()
  /// The elements with a tolerance, ordered by the time at which they are due.
  @usableFromInline var tolerant = DeadlineHeap()
  /// The elements of ``tolerant``, ordered by the latest time that their tolerance allows.
  @usableFromInline var tolerantByLatest = DeadlineHeap()
  @usableFromInline var places = GrowableBuffer<Place>()
  @usableFromInline var firstFree: Int32 = -1
  @usableFromInline var nextSequence: UInt64 = 0

  @inlinable package init() {}

  @inlinable package var count: Int { exact.count + tolerant.count }
  @inlinable package var isEmpty: Bool { exact.isEmpty && tolerant.isEmpty }

  #if DEBUG
    /// How many entries were read so far, for the tests that count them.
    package var looks: Int {
      exact.looks.value + tolerant.looks.value + tolerantByLatest.looks.value
    }
  #endif

  /// Whether the next element has a tolerance. The queue must not be empty.
  @inlinable var nextHasTolerance: Bool {
    if tolerant.isEmpty { return false }
    return exact.isEmpty || tolerant.first.precedes(exact.first)
  }

  @inlinable var next: DeadlineHeap.Entry? {
    if isEmpty { return nil }
    return nextHasTolerance ? tolerant.first : exact.first
  }

  /// The earliest time at which an element is due. O(1).
  @inlinable package var nextDeadline: Int64? { next?.time }

  /// The latest time for one wake-up that keeps to the tolerance of every element. O(1).
  @inlinable package var nextWakeUp: Int64? {
    if tolerantByLatest.isEmpty { return exact.isEmpty ? nil : exact.first.time }
    let latest = tolerantByLatest.first.time
    return exact.isEmpty ? latest : min(exact.first.time, latest)
  }

  /// Adds `element`, which can be taken once `due` is reached. Amortised O(log n).
  ///
  /// - Parameter tolerance: How many nanoseconds late the element may be taken, if that saves a wake-up. Not
  ///   negative.
  /// - Returns: A ticket for ``remove(_:)``.
  @inlinable @discardableResult
  package mutating func insert(
    _ element: consuming Element, due: Int64, tolerance: Int64 = 0
  ) -> Ticket {
    assert(tolerance >= 0, "a tolerance is not negative (tolerance: \(tolerance))")
    let hasTolerance = tolerance > 0
    let place: Int32
    if firstFree >= 0 {
      place = firstFree
      firstFree = places[Int(place)].link
      places[Int(place)].element = element
      places[Int(place)].link = hasTolerance ? 1 : 0
    } else {
      place = Int32(places.count)
      places.append(Place(element: element, hasTolerance: hasTolerance))
    }
    let sequence = nextSequence
    nextSequence += 1
    if hasTolerance {
      let (latest, overflow) = due.addingReportingOverflow(tolerance)
      tolerant.insert(.init(time: due, sequence: sequence, place: place))
      tolerantByLatest.insert(
        .init(time: overflow ? .max : latest, sequence: sequence, place: place))
    } else {
      exact.insert(.init(time: due, sequence: sequence, place: place))
    }
    return Ticket(place: place, generation: places[Int(place)].generation)
  }

  /// Takes the next element that is due at `time` or before, and returns the time at which it was due. O(log
  /// n).
  @inlinable package mutating func popNext(dueBy time: Int64) -> (element: Element, due: Int64)? {
    guard let first = next, first.time <= time else { return nil }
    return (take(first.place), first.time)
  }

  /// Removes the element of `ticket`. Nil if the element is not here any more. O(log n).
  @inlinable package mutating func remove(_ ticket: Ticket) -> Element? {
    let place = Int(ticket.place)
    guard place >= 0, place < places.count, places[place].generation == ticket.generation,
      places[place].element != nil
    else { return nil }
    return take(ticket.place)
  }

  /// Removes every element, due or not, in the order in which they would have come due. O(n log n).
  @inlinable package mutating func removeAll() -> [Element] {
    var all: [Element] = []
    all.reserveCapacity(count)
    while let next = popNext(dueBy: .max) { all.append(next.element) }
    return all
  }

  /// Shows the element that comes due next to `body`, and leaves it in place. Nil if there is none. O(1).
  @inlinable package func withNext<Result>(_ body: (borrowing Element) -> Result) -> Result? {
    guard let next else { return nil }
    return body(places[Int(next.place)].element!)
  }

  /// Shows the elements that come due first, with their deadlines, to `body`: `count`, or all if there are fewer.
  /// O(count²).
  package func forEachOfFirst(_ count: Int, _ body: (borrowing Element, _ due: Int64) -> Void) {
    let entries = (exact.first(count) + tolerant.first(count)).sorted { $0.precedes($1) }
    for entry in entries.prefix(count) { body(places[Int(entry.place)].element!, entry.time) }
  }

  /// Shows every element and its deadline to `body`, in no particular order. O(n).
  @inlinable package func forEach(_ body: (borrowing Element, _ due: Int64) -> Void) {
    exact.forEach({ body(places[Int($0.place)].element!, $0.time) })
    tolerant.forEach({ body(places[Int($0.place)].element!, $0.time) })
  }

  /// Removes the element of `place` from its heaps, and frees the place. O(log n).
  @inlinable mutating func take(_ place: Int32) -> Element {
    if places[Int(place)].hasTolerance {
      tolerant.remove(place)
      tolerantByLatest.remove(place)
    } else {
      exact.remove(place)
    }
    let element = places[Int(place)].element.take()!
    places[Int(place)].generation &+= 1
    places[Int(place)].link = firstFree
    firstFree = place
    return element
  }
}
