internal import Glibc
internal import Synchronization

/// What the oracle knows of one thread. The submissions of one thread have one order.
public final class ThreadRecorder: @unchecked Sendable {
  /// How many threads the oracle can tell apart at a time.
  public static let most = 160

  /// Below ``most``. Another thread gets the index when this thread has ended.
  public let index: Int
  // The next two are touched by this thread only.
  /// The submission that the thread is making.
  public var submitting: Ticket?
  /// How many submissions the thread has made.
  var count: UInt64 = 0
  public let diary = Diary()
  /// The user code that the thread is in, in the mixes that look at it.
  public let stand = Stand()

  private init(index: Int) { self.index = index }

  /// The recorder of the calling thread, made at its first use.
  public static var current: ThreadRecorder {
    if let known = pthread_getspecific(key) {
      return Unmanaged<ThreadRecorder>.fromOpaque(known).takeUnretainedValue()
    }
    let recorder = ThreadRecorder(index: takeIndex())
    everybody.withLock { $0[recorder.index] = recorder }
    pthread_setspecific(key, Unmanaged.passRetained(recorder).toOpaque())
    return recorder
  }

  /// The recorders of all threads that have not ended.
  public static var all: [ThreadRecorder] { everybody.withLock { Array($0.values) } }

  /// What all diaries hold, oldest first, for people.
  public static func entries() -> [Diary.Entry] {
    all.flatMap { $0.diary.entries }.sorted { $0.time < $1.time }
  }

  private static let everybody = Locked<[Int: ThreadRecorder]>([:])
  private static let free = Locked<[Int]>(Array((0..<most).reversed()))

  private static func takeIndex() -> Int {
    guard let index = free.withLock({ $0.popLast() }) else {
      fatalError("more than \(most) threads take part")
    }
    return index
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { known in
      let recorder = Unmanaged<ThreadRecorder>.fromOpaque(known!).takeRetainedValue()
      ThreadRecorder.everybody.withLock { $0[recorder.index] = nil }
      ThreadRecorder.free.withLock { $0.append(recorder.index) }
    }
    precondition(status == 0, "pthread_key_create: \(status)")
    return key
  }()
}

/// The last things that a thread did, to explain a violation.
///
/// Its thread writes it. A reader on another thread may see an entry that is being overwritten.
public final class Diary: @unchecked Sendable {
  public enum Event: UInt8, Sendable {
    case submits, accepted, refused, begins, ends, cancelledBeforeStart, cancelRequested,
      cancelTooLate, expired
  }

  public struct Entry: Sendable {
    public let time: Int64
    public let event: Event
    public let queue: Int
    public let number: UInt64
  }

  private static let length = 64
  private let times: UnsafeMutablePointer<Atomic<Int64>>
  private let notes: UnsafeMutablePointer<Atomic<UInt64>>
  private var next = 0

  init() {
    times = .allocate(capacity: Self.length)
    notes = .allocate(capacity: Self.length)
    for index in 0..<Self.length {
      (times + index).initialize(to: Atomic(0))
      (notes + index).initialize(to: Atomic(0))
    }
  }

  deinit {
    times.deallocate()
    notes.deallocate()
  }

  func note(_ event: Event, _ ticket: Ticket) {
    let place = next % Self.length
    next &+= 1
    times[place].store(monotonicNanoseconds(), ordering: .relaxed)
    notes[place].store(
      UInt64(event.rawValue) << 56 | UInt64(ticket.queue) << 48 | ticket.number,
      ordering: .relaxed)
  }

  var entries: [Entry] {
    (0..<Self.length).compactMap { place in
      let (time, note) = (
        times[place].load(ordering: .relaxed), notes[place].load(ordering: .relaxed)
      )
      guard time > 0, let event = Event(rawValue: UInt8(note >> 56)) else { return nil }
      return Entry(
        time: time, event: event, queue: Int(note >> 48 & 0xff), number: note & 0xffff_ffff_ffff)
    }
  }
}
