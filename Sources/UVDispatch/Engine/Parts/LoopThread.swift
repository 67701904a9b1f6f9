internal import TaskDispatch

/// The thread that runs the loop, if any does. A value under the dispatcher's lock.
struct LoopThread {
  /// Whether the loop was claimed by a call that runs it.
  private(set) var isClaimed = false
  /// The thread that runs the loop, whether it is in a task or not: in callbacks of libuv it is in none.
  private var identity: ExecutionIdentity?
  /// The loop ends when nothing can go on: see ``UVDispatcher/runUntilIdle(servesMainQueue:)``.
  var leavesWhenIdle = false

  mutating func claim() { isClaimed = true }

  /// The calling thread runs the loop from now on.
  mutating func enter() { identity = .ofThread }

  /// No thread runs the loop from now on.
  mutating func leave() {
    isClaimed = false
    identity = nil
  }

  /// Whether the calling thread runs the loop. If it is in no task, it is in a callback of libuv or of this
  /// dispatcher.
  var isCalling: Bool { identity != nil && identity == .ofThread }
}
