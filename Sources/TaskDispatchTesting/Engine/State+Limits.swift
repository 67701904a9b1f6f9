internal import TaskDispatch

/// The limit of a queue of the fake, and how many counted tasks have left the queue.
struct CountedLimit {
  private var limit: QueueLimit
  private var departed = 0

  /// Nil without a limit.
  init?(_ overflow: Overflow) {
    guard let limit = QueueLimit(overflow) else { return nil }
    self.limit = limit
  }

  var overflow: Overflow { limit.overflow }

  var isFull: Bool { limit.room(departed: departed) == 0 }

  mutating func noteArrival() { limit.issue(1) }

  mutating func noteDeparture() { departed += 1 }
}

extension State {
  /// The limit of a queue; nil if it has none.
  ///
  /// - Parameter view: The view, or nil for the lane itself.
  func limit(of lane: Lane, _ view: RecordingView?) -> CountedLimit? {
    if let view { return view.limit }
    return lane == .foreground ? foregroundLimit : backgroundLimit
  }

  func isFull(_ lane: Lane, _ view: RecordingView?) -> Bool {
    limit(of: lane, view)?.isFull ?? false
  }

  /// Counts an entry that comes into its queue.
  mutating func noteArrival(of entry: Entry) {
    updateLimit(of: entry) { $0?.noteArrival() }
  }

  /// Notes that an entry has left its queue, which may have room for another now.
  mutating func noteDeparture(of entry: Entry) {
    updateLimit(of: entry) { $0?.noteDeparture() }
    if !waitingForRoom.isEmpty { letInThoseWithRoom() }
  }

  private mutating func updateLimit(of entry: Entry, _ update: (inout CountedLimit?) -> Void) {
    guard hasLimits, entry.countsAgainstLimits else { return }
    if let view = entry.view {
      update(&view.limit)
    } else if entry.lane == .foreground {
      update(&foregroundLimit)
    } else {
      update(&backgroundLimit)
    }
  }

  private mutating func letInThoseWithRoom() {
    var left: [Entry] = []
    for entry in waitingForRoom {
      if isFull(entry.lane, entry.view) {
        left.append(entry)
      } else {
        enqueue(entry.item!, entry)
      }
    }
    waitingForRoom = left
  }
}
