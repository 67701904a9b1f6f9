internal import Glibc
internal import Synchronization

/// A thread, as the oracle sees it. What one thread submits stands in one order.
public final class Hand: @unchecked Sendable {
  /// How many threads the oracle can tell apart at a time.
  public static let most = 160

  /// Below ``most``; another thread's once this one has ended.
  public let index: Int
  // Touched by this thread only.
  /// What it is submitting just now.
  public var submitting: Ticket?
  /// How many it has submitted.
  var count: UInt64 = 0
  public let diary = Diary()
  /// The user code that it is in, where that is looked at.
  public let stand = Stand()

  private init(index: Int) { self.index = index }

  /// The calling thread's.
  public static var current: Hand {
    if let known = pthread_getspecific(key) {
      return Unmanaged<Hand>.fromOpaque(known).takeUnretainedValue()
    }
    let hand = Hand(index: takeIndex())
    everybody.withLock { $0[hand.index] = hand }
    pthread_setspecific(key, Unmanaged.passRetained(hand).toOpaque())
    return hand
  }

  /// Those of all threads that have not ended.
  public static var all: [Hand] { everybody.withLock { Array($0.values) } }

  /// What stands at a number in the diaries, for people.
  public static func entries() -> [Diary.Entry] {
    all.flatMap { $0.diary.entries }.sorted { $0.time < $1.time }
  }

  private static let everybody = Locked<[Int: Hand]>([:])
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
      let hand = Unmanaged<Hand>.fromOpaque(known!).takeRetainedValue()
      Hand.everybody.withLock { $0[hand.index] = nil }
      Hand.free.withLock { $0.append(hand.index) }
    }
    precondition(status == 0, "pthread_key_create: \(status)")
    return key
  }()
}

/// The last things that a thread did, for whoever has to explain a violation.
///
/// Written by one thread; readers on others may see an entry that is just being overwritten.
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
