internal import Glibc

/// A growable ring of slots that are found by *position*: a number that never repeats.
///
/// The first element ever appended has position 0, the next 1, and so on. `head` is the oldest slot still
/// held, and `tail` is the position that the next element will get. A slot can be emptied in place, which
/// makes cancelling cheap. An emptied slot is a *tombstone* until it reaches the head or the ring is
/// compacted.
///
/// In a long ring, the slot to empty is usually in no cache. A caller that knows what the slot holds can make
/// it a tombstone without touching it: a bit in ``tombstones`` then says so.
///
/// Memory doubles when it is full, and halves when a whole fill-and-drain used less than an eighth of it. So
/// one burst does not hold its memory for ever, and a steady load never reallocates.
///
/// The ring uses raw memory. An array of optionals would copy, check and count at every step of the hottest
/// loop of the dispatcher. It grows with `realloc`, which moves the pages of a large block and not its bytes.
/// So elements must not hold a weak reference directly: that is the one kind of value that Swift cannot move
/// as bytes.
@safe @usableFromInline package struct Ring<Element>: ~Copyable {
  /// Initialised exactly at the positions from `head` to `tail`.
  @usableFromInline var slots: UnsafeMutablePointer<Element?>?
  /// The capacity, which is a power of two, less one. −1 (all ones) if there is no memory at all.
  @usableFromInline var mask: Int
  /// The position of the oldest slot held.
  @usableFromInline package var head = 0
  /// The position that the next element will get.
  @usableFromInline package var tail = 0
  /// `tail` when the ring was last emptied. It tells how much of the memory the last burst used.
  @usableFromInline var tailWhenEmpty = 0
  /// A bit for each slot: set if the slot is a tombstone that was made without touching it. Bits are set only
  /// between `head` and `tail`, and never at the head once tombstones there were dropped. No memory before
  /// the first is set.
  @usableFromInline var tombstones: UnsafeMutablePointer<UInt64>?
  @usableFromInline var tombstoneCount = 0

  #if DEBUG
    /// How many slots were touched: the tests of the "Complexity:" lines count them.
    @usableFromInline package internal(set) var looks = 0
  #endif

  @usableFromInline static var smallest: Int { 8 }
  @usableFromInline static var neverShrunkBelow: Int { 1024 }

  @inlinable package init() {
    unsafe slots = nil
    unsafe tombstones = nil
    mask = -1
  }

  deinit {
    var position = head
    while position != tail {
      if !isTombstone(at: position) {
        unsafe (slots! + (position & mask)).deinitialize(count: 1)
      }
      position &+= 1
    }
    unsafe free(tombstones)
    unsafe free(slots)
  }

  /// The number of slots held, including tombstones.
  @inlinable package var slotCount: Int { tail &- head }

  @inlinable package var isEmpty: Bool { tail == head }

  @inlinable package var capacity: Int { mask &+ 1 }

  @inlinable @inline(__always) mutating func noteLook() {
    #if DEBUG
      looks &+= 1
    #endif
  }

  /// Adds `element` at the tail and returns its position. Amortised O(1).
  @inlinable @inline(__always) @discardableResult
  package mutating func append(_ element: consuming Element) -> Int {
    noteLook()
    if slotCount == mask &+ 1 { grow() }
    let position = tail
    unsafe (slots! + (position & mask)).initialize(to: element)
    tail = position &+ 1
    return position
  }

  /// Adds a slot as it is; nil adds a tombstone. Amortised O(1).
  @inlinable package mutating func appendSlot(_ slot: consuming Element?) {
    noteLook()
    if slotCount == mask &+ 1 { grow() }
    unsafe (slots! + (tail & mask)).initialize(to: slot)
    tail &+= 1
  }

  /// Takes the oldest slot out. Returns its element, or nil if the slot is a tombstone.
  ///
  /// The ring must not be empty, and its oldest slot must not be a tombstone. If it may be one, call
  /// ``dropDeadHead()`` first.
  @inlinable @inline(__always)
  package mutating func takeFirst() -> Element? {
    noteLook()
    assert(!isEmpty, "took from an empty ring")
    assert(!isTombstone(at: head), "dead slots at the head were not dropped")
    let element = unsafe (slots! + (head & mask)).move()
    head = head &+ 1
    return element
  }

  /// Takes the oldest slot out if `isWanted` is true for its element. The slot must be alive.
  ///
  /// - Parameter isWanted: Must not change the element. It is passed `inout` only so that nothing is copied.
  @inlinable @inline(__always)
  package mutating func takeFirst(if isWanted: (inout Element) -> Bool) -> Element? {
    assert(isAlive(at: head), "no live element at the head")
    guard unsafe isWanted(&slots![head & mask]!) else { return nil }
    return takeFirst()
  }

  /// Whether `position` is held and alive.
  @inlinable package func isAlive(at position: Int) -> Bool {
    guard position >= head, position < tail, !isTombstone(at: position) else { return false }
    return unsafe slots![position & mask] != nil
  }

  @inlinable func isTombstone(at position: Int) -> Bool {
    guard tombstoneCount > 0 else { return false }
    let index = position & mask
    return unsafe tombstones![index &>> 6] & (1 &<< UInt64(index & 63)) != 0
  }

  /// Shows the element at `position` to `body`, in place. Traps unless it is alive.
  @inlinable package func withElement<Result>(
    at position: Int, _ body: (borrowing Element) -> Result
  ) -> Result {
    precondition(isAlive(at: position), "no live element at position \(position)")
    return unsafe body(slots![position & mask]!)
  }

  /// Lets `body` change the element at `position` in place. Traps unless it is alive.
  @inlinable package mutating func update(at position: Int, _ body: (inout Element) -> Void) {
    noteLook()
    precondition(isAlive(at: position), "no live element at position \(position)")
    unsafe body(&slots![position & mask]!)
  }

  /// Empties the slot at `position`, which stays as a tombstone. Nil if it is one already, or is not held any
  /// more. O(1).
  @inlinable package mutating func remove(at position: Int) -> Element? {
    noteLook()
    guard position >= head, position < tail, !isTombstone(at: position) else { return nil }
    let element = unsafe slots![position & mask].take()
    return element
  }

  /// Makes the slot at `position` a tombstone without reading it. O(1).
  ///
  /// The slot must be alive, and hold exactly one strong reference and nothing else. The caller takes over
  /// that reference, and must release it with ``letGoOfShare(in:)``.
  ///
  /// - Returns: Whether the slot was still held. If not, nothing has changed.
  @inlinable package mutating func leaveTombstone(at position: Int) -> Bool {
    noteLook()
    guard position >= head, position < tail, !isTombstone(at: position) else { return false }
    if unsafe tombstones == nil { makeRoomForTombstones() }
    let index = position & mask
    unsafe tombstones![index &>> 6] |= 1 &<< UInt64(index & 63)
    tombstoneCount &+= 1
    return true
  }

  /// Drops tombstones at the head, so that the head is alive or the ring is empty.
  @inlinable package mutating func dropDeadHead() {
    while head != tail {
      noteLook()
      if isTombstone(at: head) {
        let index = head & mask
        unsafe tombstones![index &>> 6] &= ~(1 &<< UInt64(index & 63))
        tombstoneCount &-= 1
      } else if unsafe slots![head & mask] != nil {
        return
      }
      head &+= 1
    }
  }

  /// Moves the live elements together against the tail, which stays where it is.
  ///
  /// - Parameter moved: Called for each element that gets another position, the newest first.
  /// - Complexity: O(slots).
  @inlinable package mutating func compact(moved: (inout Element, _ to: Int) -> Void) {
    emptyTombstone()
    var target = tail
    var source = tail
    while source != head {
      source &-= 1
      noteLook()
      guard let slot = unsafe slots, unsafe slot[source & mask] != nil else { continue }
      target &-= 1
      if target != source {
        unsafe swap(&slot[source & mask], &slot[target & mask])
        unsafe moved(&slot[target & mask]!, target)
      }
    }
    // The slots before `target` are tombstones, and a tombstone owns nothing.
    head = target
  }

  /// A separate ring with the same slots at the same positions. O(slots).
  @inlinable package func clone() -> Ring<Element> {
    var copy = Ring<Element>()
    copy.rebase(at: head)
    for position in head..<tail {
      unsafe copy.appendSlot(isTombstone(at: position) ? nil : slots![position & mask])
    }
    return copy
  }

  /// Makes `position` the next position. Traps unless the ring is empty.
  @inlinable package mutating func rebase(at position: Int) {
    precondition(isEmpty, "a ring that holds elements cannot be renumbered")
    head = position
    tail = position
    tailWhenEmpty = position
  }

  /// Gives all slots new positions, so that none is below `position`. Order and gaps stay as they are. Memory
  /// does too, since each position increases by a multiple of the capacity.
  @inlinable package mutating func renumber(from position: Int) {
    guard head < position, !isEmpty else { return }
    let rounds = (position - head + mask) / (mask + 1)
    let step = rounds * (mask + 1)
    head += step
    tail += step
    tailWhenEmpty += step
  }

  /// Gives back memory that the last burst did not use. Called when a drain has emptied the ring.
  @inlinable package mutating func shrinkWhenEmpty() {
    let used = tail &- tailWhenEmpty
    tailWhenEmpty = tail
    if mask >= Self.neverShrunkBelow, used < (mask &+ 1) / 8 { shrink() }
  }

  @usableFromInline @inline(never) mutating func grow() {
    let old = mask &+ 1
    let capacity = max(Self.smallest, old * 2)
    resize(to: capacity)
    // Positions keep their low bits, so those whose next bit is set move up by the old capacity.
    // In a full ring they are one run on each side of the place where it wraps.
    var position = head
    while old > 0, position != tail {
      let index = position & mask
      let run = min(old &- (index & (old &- 1)), tail &- position)
      if index >= old {
        unsafe (slots! + index).moveInitialize(from: slots! + (index &- old), count: run)
      }
      position &+= run
    }
  }

  /// Halves the memory of an empty ring.
  @usableFromInline @inline(never) mutating func shrink() {
    resize(to: (mask &+ 1) / 2)
  }

  @usableFromInline @inline(never) mutating func makeRoomForTombstones() {
    let words = tombstoneWords
    guard let memory = unsafe calloc(words, MemoryLayout<UInt64>.stride) else {
      fatalError("no memory for the bits of \(capacity) slots (\(words * 8) bytes)")
    }
    unsafe tombstones = memory.assumingMemoryBound(to: UInt64.self)
  }

  private var tombstoneWords: Int { (capacity + 63) / 64 }

  /// Turns tombstones that were made without touching their slots into empty slots. O(capacity / 64 +
  /// tombstones).
  @usableFromInline mutating func emptyTombstone() {
    guard tombstoneCount > 0 else { return }
    for word in 0..<tombstoneWords {
      var bits = unsafe tombstones![word]
      while bits != 0 {
        unsafe (slots! + (word * 64 + bits.trailingZeroBitCount)).initialize(to: nil)
        bits &= bits &- 1
      }
      unsafe tombstones![word] = 0
    }
    tombstoneCount = 0
  }

  private mutating func resize(to capacity: Int) {
    emptyTombstone()
    unsafe free(tombstones)
    unsafe tombstones = nil
    let bytes = capacity * MemoryLayout<Element?>.stride
    precondition(
      MemoryLayout<Element?>.alignment <= 16, "malloc aligns to 16 bytes, and no further")
    guard let memory = unsafe realloc(slots, bytes) else {
      fatalError("no memory for a ring of \(capacity) slots (\(bytes) bytes)")
    }
    unsafe slots = memory.assumingMemoryBound(to: Element?.self)
    mask = capacity &- 1
  }
}

/// Releases the reference to `object` that the slot of a tombstone held: see ``Ring/leaveTombstone(at:)``. Once for
/// each such slot.
package func letGoOfShare(in object: AnyObject) {
  unsafe Unmanaged.passUnretained(object).release()
}
