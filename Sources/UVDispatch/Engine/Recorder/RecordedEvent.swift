internal import TaskDispatch

/// An event of the flight recorder: four words in the ring of the thread on which it happened. See ``Recorder``.
///
/// | word | lower bits | higher bits |
/// |---|---|---|
/// | 0 | 8: the kind | 56: the time, in ticks |
/// | 1 | 24: the queue, as an index of ``RecordedQueues`` | 40: a number |
/// | 2 | 48: the address of the file's name | 16: the line |
/// | 3 | 48: the task, or the item | 16: the line, continued |
struct RecordedEvent {
  enum Kind {
    /// A plain task was posted. Its number counts the plain tasks of its queue.
    case plainPosted
    /// An item was posted. It is known by its address. The number is that of the task whose body has posted it.
    case itemPosted
    /// A posted item has got the number of its task. Word 2 is its address, and the number when it was posted: the lowest 40
    /// bits of the ticks.
    case itemNumbered
    /// A plain task has got the number of its task, and an object.
    case plainNumbered
    /// A plain task starts on this thread.
    case plainStarted
    /// A plain task starts on this thread, and the task before it has completed.
    case plainFollows
    /// An item that was posted starts on this thread.
    case itemStarted
    /// What runs on this thread ends. The number is a ``Recording/Kind``.
    case ended
    /// A label of the event before, or its continuation: up to 24 bytes in words 1 to 3. Their count stands for the time.
    case label
    /// Anything else happens to a task that has a number. The number is that of its parent, with the band in front.
    case told(Recording.Kind)

    var rawValue: UInt8 {
      switch self {
      case .plainPosted: 1
      case .itemPosted: 2
      case .itemNumbered: 3
      case .plainNumbered: 4
      case .plainStarted: 5
      case .plainFollows: 6
      case .itemStarted: 7
      case .ended: 8
      case .label: 9
      case .told(let kind): 32 + kind.rawValue
      }
    }

    init?(rawValue: UInt8) {
      switch rawValue {
      case 1: self = .plainPosted
      case 2: self = .itemPosted
      case 3: self = .itemNumbered
      case 4: self = .plainNumbered
      case 5: self = .plainStarted
      case 6: self = .plainFollows
      case 7: self = .itemStarted
      case 8: self = .ended
      case 9: self = .label
      default:
        guard rawValue >= 32, let kind = Recording.Kind(rawValue: rawValue - 32) else { return nil }
        self = .told(kind)
      }
    }
  }

  let words: (UInt64, UInt64, UInt64, UInt64)

  @inline(__always) init(
    _ kind: Kind, at ticks: UInt64, queue: UInt32, number: UInt64, task: UInt64, site: CallSite
  ) {
    words = (
      ticks << 8 | UInt64(kind.rawValue),
      UInt64(queue) | number << 24,
      // Addresses, and numbers of tasks, have no more than 48 bits.
      UInt64(site.addressOfFile) | UInt64(site.line) << 48,
      task | UInt64(site.line >> 16) << 48
    )
  }

  init(_ words: ArraySlice<UInt64>) {
    let start = words.startIndex
    self.words = (words[start], words[start + 1], words[start + 2], words[start + 3])
  }

  /// Up to 24 bytes of a label.
  init(label bytes: some Collection<UInt8>) {
    var words = [UInt64](repeating: 0, count: 3)
    for (index, byte) in bytes.enumerated() {
      words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
    }
    self.words = (
      UInt64(bytes.count) << 8 | UInt64(Kind.label.rawValue), words[0], words[1], words[2]
    )
  }

  @inline(__always) func write() { ThreadRings.write(words.0, words.1, words.2, words.3) }

  var kind: Kind? { Kind(rawValue: UInt8(truncatingIfNeeded: words.0)) }
  var ticks: UInt64 { words.0 >> 8 }
  var queue: UInt32 { UInt32(words.1 & Self.lowest(24)) }
  var number: UInt64 { words.1 >> 24 }
  var task: UInt64 { words.3 & Self.lowest(48) }
  var addressOfItem: UInt64 { words.2 }
  var site: CallSite {
    CallSite(
      addressOfFile: UInt(words.2 & Self.lowest(48)),
      line: UInt32(words.2 >> 48) | UInt32(words.3 >> 48) << 16)
  }
  var label: [UInt8] {
    let bytes = [words.1, words.2, words.3].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
    }
    return Array(bytes.prefix(Int(ticks)))
  }

  @inline(__always) private static func lowest(_ bits: UInt64) -> UInt64 { 1 << bits - 1 }
}
