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
/// Four-way heaps whose entries know their place, so that a cancelled timer leaves at once and a
/// million that never fire cost no memory. A wheel would be two to three times as fast and would
/// round; here the order is exact and so is the next deadline.
///
/// Elements without a tolerance stand in one heap. Those with one stand in two of their own: by the time
/// that they are due, and by the latest time that still serves them. So the next wake-up is the smaller of
/// two heads, and elements without a tolerance pay nothing for the others.
///
/// Times are nanoseconds since an origin that the owner chooses. A value without lock, clock or
/// thread; both dispatchers wait in this type.
@usableFromInline package struct DeadlineQueue<Element>: ~Copyable {
  @usableFromInline package typealias Ticket = DeadlineTicket

  @usableFromInline struct Place {
    @usableFromInline var element: Element?
    @usableFromInline var generation: UInt32 = 0
    /// While it is free, the next free place, or -1; else whether its element has a tolerance.
    @usableFromInline var link: Int32

    @inlinable init(element: consuming Element, hasTolerance: Bool) {
      self.element = element
      link = hasTolerance ? 1 : 0
    }

    /// Only while it holds an element.
    @inlinable var hasTolerance: Bool { link == 1 }
  }

  /// What has no tolerance, by the time that it is due.
  @usableFromInline var exact = DeadlineHeap()
  /// What has a tolerance, by the time that it is due.
  @usableFromInline var tolerant = DeadlineHeap()
  /// The same elements, by the latest time that still serves them.
  @usableFromInline var tolerantByLatest = DeadlineHeap()
  @usableFromInline var places = GrowableBuffer<Place>()
  @usableFromInline var firstFree: Int32 = -1
  @usableFromInline var nextSequence: UInt64 = 0

  @inlinable package init() {}

  @inlinable package var count: Int { exact.count + tolerant.count }
  @inlinable package var isEmpty: Bool { exact.isEmpty && tolerant.isEmpty }

  #if DEBUG
    /// How many entries were looked at so far, for the tests that count them.
    package var looks: Int {
      exact.looks.value + tolerant.looks.value + tolerantByLatest.looks.value
    }
  #endif

  /// Whether the element that comes out next has a tolerance. Must not be empty.
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

  /// The latest time at which a single look at the queue is late for no element's tolerance. O(1).
  @inlinable package var nextWakeUp: Int64? {
    if tolerantByLatest.isEmpty { return exact.isEmpty ? nil : exact.first.time }
    let latest = tolerantByLatest.first.time
    return exact.isEmpty ? latest : min(exact.first.time, latest)
  }

  /// Adds `element`, to come out once `due` is reached. Amortised O(log n).
  ///
  /// - Parameter tolerance: Nanoseconds that it may be late if that saves a wake-up. Not negative.
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

  /// Takes the next element that is due at `time` or before, and the time that it was due. O(log n).
  @inlinable package mutating func popNext(dueBy time: Int64) -> (element: Element, due: Int64)? {
    guard let first = next, first.time <= time else { return nil }
    return (take(first.place), first.time)
  }

  /// Takes the element of `ticket` out, or returns nil if it is not here any more. O(log n).
  @inlinable package mutating func remove(_ ticket: Ticket) -> Element? {
    let place = Int(ticket.place)
    guard place >= 0, place < places.count, places[place].generation == ticket.generation,
      places[place].element != nil
    else { return nil }
    return take(ticket.place)
  }

  /// Takes everything out, due or not, in the order in which it would have come due. O(n log n).
  @inlinable package mutating func removeAll() -> [Element] {
    var all: [Element] = []
    all.reserveCapacity(count)
    while let next = popNext(dueBy: .max) { all.append(next.element) }
    return all
  }

  /// The element that comes due next, left in place. Nil if there is none. O(1).
  @inlinable package func withNext<Result>(_ body: (borrowing Element) -> Result) -> Result? {
    guard let next else { return nil }
    return body(places[Int(next.place)].element!)
  }

  /// Shows every element and its deadline, in no particular order. O(n).
  @inlinable package func forEach(_ body: (borrowing Element, _ due: Int64) -> Void) {
    exact.forEach({ body(places[Int($0.place)].element!, $0.time) })
    tolerant.forEach({ body(places[Int($0.place)].element!, $0.time) })
  }

  /// Takes the element of a place out of its heaps, and frees the place. O(log n).
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
