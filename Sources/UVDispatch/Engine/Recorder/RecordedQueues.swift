internal import TaskDispatch

/// The queues of the process whose tasks are recorded, by index. An event holds an index, and not the queue.
final class RecordedQueues: Sendable {
  static let shared = RecordedQueues()

  private struct Entry {
    let queue: Recording.Queue
    let recorder: UInt64
  }

  private struct State {
    /// By index. An index is given once: events of a queue may be in the rings long after it is gone.
    var entries: [UInt32: Entry] = [:]
    var next: UInt32 = 0
    /// Those of queues that are gone, the one that has been gone the longest first, from `forgotten` on.
    var gone: [UInt32] = []
    var forgotten = 0
    var recorders: UInt64 = 0
    /// The recorders some of whose queues have no name any more.
    var incomplete: Set<UInt64> = []
  }

  private let state = Locked(State())
  /// The names of so many queues that are gone stay.
  private static let mostGone = 4096
  /// An event has 24 bits for the index. All queues beyond that have the last one.
  private static let last: UInt32 = 1 << 24 - 1

  func makeRecorder() -> UInt64 {
    state.withLock { state in
      state.recorders += 1
      return state.recorders
    }
  }

  /// A recorder is gone.
  func removeRecorder(_ recorder: UInt64) {
    state.withLock { state in _ = state.incomplete.remove(recorder) }
  }

  func add(_ queue: Recording.Queue, of recorder: UInt64) -> UInt32 {
    state.withLock { state in
      if state.next == Self.last {
        state.incomplete.insert(recorder)
        return Self.last
      }
      defer { state.next += 1 }
      state.entries[state.next] = Entry(queue: queue, recorder: recorder)
      return state.next
    }
  }

  /// A queue is gone.
  func remove(_ index: UInt32) {
    state.withLock { state in
      state.gone.append(index)
      guard state.gone.count - state.forgotten > Self.mostGone else { return }
      if let entry = state.entries.removeValue(forKey: state.gone[state.forgotten]) {
        state.incomplete.insert(entry.recorder)
      }
      state.forgotten += 1
      if state.forgotten > Self.mostGone {
        state.gone.removeFirst(state.forgotten)
        state.forgotten = 0
      }
    }
  }

  /// All of one recorder, by index, and whether none is missing.
  func all(of recorder: UInt64) -> (queues: [UInt32: Recording.Queue], isComplete: Bool) {
    state.withLock { state in
      (
        state.entries.filter { $0.value.recorder == recorder }.mapValues(\.queue),
        !state.incomplete.contains(recorder)
      )
    }
  }
}

/// What the recorder knows of a queue. Touched under the dispatcher's lock.
struct RecordedQueue {
  let index: UInt32
  /// How many plain tasks have left the queue.
  var taken: UInt64 = 0
}

/// What a post to a lane needs of the recorder.
struct RecordedLanes {
  let recorder: Recorder?
  let isOn: Bool
  /// The indices of the lanes among ``RecordedQueues``.
  let foreground: UInt32
  let background: UInt32

  init(_ recorder: Recorder?) {
    self.recorder = recorder
    isOn = recorder != nil
    foreground = recorder?.foreground ?? 0
    background = recorder?.background ?? 0
  }
}
