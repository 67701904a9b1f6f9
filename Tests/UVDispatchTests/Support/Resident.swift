import Synchronization
import TaskDispatch

@testable import TaskDispatchTesting

/// An actor that lives on a queue, and counts how many of its calls are inside at a time.
actor Resident {
  private let queue: TaskQueue
  private let meter = Meter()
  /// Not atomic on purpose: the queue is what makes counting right.
  private(set) var entered = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

  init(on queue: TaskQueue) {
    self.queue = queue
  }

  func enter() { meter.count { entered += 1 } }

  var most: Int { meter.most }

  /// Whether the code of this actor runs in a task of its queue.
  var isAtHome: Bool { queue.isCurrent }

  /// Which thread runs it.
  var thread: UInt { CurrentThread.id }
}
