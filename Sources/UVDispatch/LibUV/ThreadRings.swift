internal import CRings
internal import Synchronization
internal import TaskDispatch

/// The rings of events of the process, one for each thread that records: see ``Recorder``.
///
/// A thread writes to its own ring, without a lock. Any thread may copy them at any time.
enum ThreadRings {
  /// Makes the process ready. A ring will hold so many bytes, rounded down to a power of two of events. Only the first
  /// call counts.
  static func prepare(bytes: Int) {
    let events = max(16, bytes / MemoryLayout<crings_event>.size)
    crings_prepare(UInt64(1) << UInt64(Int.bitWidth - 1 - events.leadingZeroBitCount))
  }

  /// Ticks of a clock that runs at one rate, the same on all processors.
  static var ticks: UInt64 { @inline(__always) get { crings_ticks() } }

  /// Writes an event to the ring of the calling thread. If it has none and there may be no more, the event is lost.
  @inline(__always) static func write(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
    if let ring = unsafe crings_current() { return unsafe crings_write(ring, a, b, c, d) }
    writeFirst(a, b, c, d)
  }

  @inline(never) private static func writeFirst(
    _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64
  ) {
    guard let ring = unsafe crings_make() else {
      return lastLoss.store(ticks, ordering: .relaxed)
    }
    unsafe crings_write(ring, a, b, c, d)
  }

  /// When an event was last lost, since its thread has no ring.
  private static let lastLoss = Atomic<UInt64>(0)

  /// Whether an event was lost after a time, in ticks, since its thread has no ring.
  static func hasLost(since ticks: UInt64) -> Bool {
    let last = lastLoss.load(ordering: .relaxed)
    return last != 0 && Int64(bitPattern: last &- ticks) >= 0
  }

  /// What a ring holds of its last thread.
  struct Copy {
    let thread: ThreadRecord
    /// How many events of the thread were overwritten.
    let lost: UInt64
    /// Whether other threads had the ring before, and until when, in ticks.
    let reusedAt: UInt64?
    /// Four words for each event, the oldest first.
    let words: [UInt64]
  }

  /// Copies one ring after the other. Their threads go on.
  static func copyAll(_ body: (Copy) -> Void) {
    var next = unsafe crings_all()
    while let ring = unsafe next {
      body(unsafe copy(of: ring))
      unsafe next = ring.pointee.next
    }
  }

  private static func copy(of ring: UnsafeMutablePointer<crings_ring>) -> Copy {
    var what = crings_copy_of()
    let capacity = unsafe Int(ring.pointee.capacity)
    let events = UnsafeMutablePointer<crings_event>.allocate(capacity: capacity)
    defer { unsafe events.deallocate() }
    let count = unsafe Int(crings_copy(ring, events, &what))
    let words = unsafe UnsafeRawBufferPointer(start: events, count: count * 32)
      .withMemoryRebound(to: UInt64.self) { unsafe Array($0) }
    let name = unsafe withUnsafeBytes(of: what.name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let id = ThreadID(what.thread)
    return Copy(
      thread: what.is_alive == 1
        ? ThreadRecord(of: id) : ThreadRecord(id: Int(what.thread), name: name),
      lost: what.first - what.start, reusedAt: what.start > 0 ? what.since : nil, words: words)
  }
}
