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
    if hasLimits, entry.countsAgainstLimits {
      updateLimit(of: entry.lane, entry.view) { $0?.noteArrival() }
    }
  }

  /// Notes that an entry has left its queue, which may have room for another now.
  mutating func noteDeparture(of entry: Entry) {
    guard hasLimits, entry.countsAgainstLimits, limit(of: entry.lane, entry.view) != nil else {
      return
    }
    passOnRoom(in: entry.lane, entry.view)
  }

  /// A queue has room: for the submission that has waited for it the longest, or else for any that comes. A call that
  /// waits keeps the room until it goes on.
  private mutating func passOnRoom(in lane: Lane, _ view: RecordingView?) {
    let call = waitingCalls.first { $0.waitsForRoom(in: lane, view) }
    let index = waitingForRoom.firstIndex { $0.lane == lane && $0.view === view }
    // The number of a call is taken back, so the next submission has it too.
    if let call, index.map({ call.number <= waitingForRoom[$0].id }) ?? true {
      call.hasRoom = true
      return
    }
    updateLimit(of: lane, view) { $0?.noteDeparture() }
    if let index {
      let entry = waitingForRoom.remove(at: index)
      enqueue(entry.item!, entry)
    }
  }

  /// A call that waited for room goes on.
  ///
  /// - Parameter isRefused: Whether it leaves its room to others. Else it submits its work now.
  mutating func endWaitForRoom(_ call: WaitingCall, isRefused: Bool) {
    guard case .room(let lane, let view) = call.reason, call.hasRoom else { return }
    call.hasRoom = false
    isRefused
      ? passOnRoom(in: lane, view) : updateLimit(of: lane, view) { $0?.noteDeparture() }
  }

  private mutating func updateLimit(
    of lane: Lane, _ view: RecordingView?, _ update: (inout CountedLimit?) -> Void
  ) {
    if let view {
      update(&view.limit)
    } else if lane == .foreground {
      update(&foregroundLimit)
    } else {
      update(&backgroundLimit)
    }
  }
}
