internal import TaskDispatch

/// The queues of the process whose tasks are recorded, by index. An event holds an index, and not the queue.
final class RecordedQueues: Sendable {
  static let shared = RecordedQueues()

  struct Entry {
    let queue: Recording.Queue
    let recorder: UInt64
  }

  private struct State {
    var entries: [Entry] = []
    /// Those of queues that are gone, the one that has been gone the longest first.
    var gone: [UInt32] = []
    var recorders: UInt64 = 0
  }

  private let state = Locked(State())
  /// The name of a queue stays for as many queues as go after it, since events of it may be in the rings.
  private static let mostGone = 4096

  func makeRecorder() -> UInt64 {
    state.withLock { state in
      state.recorders += 1
      return state.recorders
    }
  }

  func add(_ queue: Recording.Queue, of recorder: UInt64) -> UInt32 {
    state.withLock { state in
      let entry = Entry(queue: queue, recorder: recorder)
      if state.gone.count > Self.mostGone {
        let index = state.gone.removeFirst()
        state.entries[Int(index)] = entry
        return index
      }
      state.entries.append(entry)
      return UInt32(state.entries.count - 1)
    }
  }

  func remove(_ index: UInt32) { state.withLock { $0.gone.append(index) } }

  /// All of one recorder, by index.
  func all(of recorder: UInt64) -> [UInt32: Recording.Queue] {
    state.withLock { state in
      Dictionary(
        state.entries.enumerated().filter { $0.element.recorder == recorder }
          .map { (UInt32($0.offset), $0.element.queue) }, uniquingKeysWith: { $1 })
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
