import Synchronization
import TaskDispatch
import TaskDispatchTesting

/// An actor on a queue. It counts how many of its calls are inside at a time.
actor Resident {
  private let queue: TaskQueue
  private let meter = Meter()
  /// Not atomic on purpose: the queue makes counting right.
  private(set) var entered = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

  init(on queue: TaskQueue) {
    self.queue = queue
  }

  func enter() { meter.count { entered += 1 } }

  var most: Int { meter.most }

  /// Whether the code of this actor runs in a task of its queue.
  var isAtHome: Bool { queue.isCurrent }

  /// The thread that runs the code of this actor.
  var thread: UInt { CurrentThread.id }
}
