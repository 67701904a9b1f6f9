/// Times in a four-way heap: the earliest first and, among equal times, the oldest first.
///
/// Each entry belongs to a numbered place of the ``DeadlineQueue`` that owns the heap, and is removed by that
/// number. A value without lock, clock or thread.
@usableFromInline struct DeadlineHeap: ~Copyable {
  @usableFromInline struct Entry {
    @usableFromInline let time: Int64
    /// Order of arrival.
    @usableFromInline let sequence: UInt64
    @usableFromInline let place: Int32

    @inlinable init(time: Int64, sequence: UInt64, place: Int32) {
      self.time = time
      self.sequence = sequence
      self.place = place
    }

    @inlinable func precedes(_ other: Entry) -> Bool {
      time != other.time ? time < other.time : sequence < other.sequence
    }
  }

  @usableFromInline var entries = GrowableBuffer<Entry>()
  /// The index of each place's entry. Meaningless for a place that has no entry in this heap.
  @usableFromInline var indexOfPlace = GrowableBuffer<Int32>()
  #if DEBUG
    /// How many entries were read so far, for the tests that count them.
    @usableFromInline let looks = Owned(0)
  #endif

  @inlinable init() {}

  @inlinable var count: Int { entries.count }
  @inlinable var isEmpty: Bool { entries.isEmpty }
  /// The earliest entry. The heap must not be empty.
  @inlinable var first: Entry { entry(at: 0) }

  /// Reads the entry at `index`. Every read goes through this function, so that debug builds can count them.
  @inlinable @inline(__always) func entry(at index: Int) -> Entry {
    #if DEBUG
      looks.value += 1
    #endif
    return entries[index]
  }

  /// The entries that come first, in their order: `count`, or all if there are fewer. O(count²).
  func first(_ count: Int) -> [Entry] {
    var found: [Entry] = []
    // The entries that may be next: each comes after its parent.
    var candidates = isEmpty ? [] : [0]
    while found.count < count {
      let earliest = candidates.indices.min {
        entry(at: candidates[$0]).precedes(entry(at: candidates[$1]))
      }
      guard let earliest else { break }
      let index = candidates.remove(at: earliest)
      found.append(entry(at: index))
      candidates += index * 4 + 1..<max(index * 4 + 1, min(index * 4 + 5, entries.count))
    }
    return found
  }

  /// Adds an entry, whose place must have none in this heap. O(log n), plus the growth of ``indexOfPlace`` up
  /// to its place.
  @inlinable mutating func insert(_ entry: Entry) {
    while indexOfPlace.count <= Int(entry.place) { indexOfPlace.append(-1) }
    entries.append(entry)
    siftUp(entry, from: entries.count - 1)
  }

  /// Removes the entry of `place`, which must have one in this heap. O(log n).
  @inlinable mutating func remove(_ place: Int32) {
    let index = Int(indexOfPlace[Int(place)])
    let last = entries.removeLast()
    guard index < entries.count else { return }
    if index > 0, last.precedes(entry(at: (index - 1) >> 2)) {
      siftUp(last, from: index)
    } else {
      siftDown(last, from: index)
    }
  }

  @inlinable func forEach(_ body: (Entry) -> Void) {
    for index in 0..<entries.count { body(entry(at: index)) }
  }

  // MARK: The order

  @inlinable mutating func put(_ entry: Entry, at index: Int) {
    entries[index] = entry
    indexOfPlace[Int(entry.place)] = Int32(truncatingIfNeeded: index)
  }

  @inlinable mutating func siftUp(_ entry: Entry, from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) >> 2
      let above = self.entry(at: parent)
      guard entry.precedes(above) else { break }
      put(above, at: index)
      index = parent
    }
    put(entry, at: index)
  }

  @inlinable mutating func siftDown(_ entry: Entry, from start: Int) {
    var index = start
    while true {
      let firstChild = index << 2 + 1
      guard firstChild < entries.count else { break }
      var (earliest, below) = (firstChild, self.entry(at: firstChild))
      for child in (firstChild + 1)..<max(firstChild + 1, min(firstChild + 4, entries.count)) {
        let other = self.entry(at: child)
        if other.precedes(below) { (earliest, below) = (child, other) }
      }
      guard below.precedes(entry) else { break }
      put(below, at: index)
      index = earliest
    }
    put(entry, at: index)
  }
}
