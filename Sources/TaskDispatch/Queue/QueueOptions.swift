/// What a queue is made with: see ``TaskDispatcher/makeQueue(_:)``.
public struct QueueOptions: Sendable, Hashable {
  /// Names the queue in errors, reports and traces. Need not be unique.
  public var label: String
  /// The most tasks of the queue that run at a time. At least 1. On workers, the background's own width is a limit as
  /// well. A queue of width 1 is a serial queue.
  public var width: Int
  /// How many tasks may wait in the queue, and what happens to a submission that finds it full. Nil for what the
  /// dispatcher was configured with.
  public var overflow: Overflow?

  /// - Parameters:
  ///   - label: Names the queue in errors, reports and traces.
  ///   - width: The most tasks of the queue that run at a time. ``TaskDispatcher/makeQueue(_:)`` traps if it is less
  ///     than 1.
  ///   - overflow: The queue's own limit. Nil for that of the dispatcher. ``TaskDispatcher/makeQueue(_:)`` traps if
  ///     the limit is less than 1.
  public init(label: String, width: Int = 1, overflow: Overflow? = nil) {
    self.label = label
    self.width = width
    self.overflow = overflow
  }

  /// Traps if the width or the limit is less than 1. For dispatchers.
  ///
  /// - Parameter overflow: What the dispatcher was configured with.
  /// - Returns: What holds for the queue.
  public func validOverflow(or overflow: Overflow) -> Overflow {
    QueueView.require(width: width, label: label)
    let valid = self.overflow ?? overflow
    valid.validate(of: label)
    return valid
  }
}

extension TaskDispatcher {
  /// Makes a queue with a label and a width: ``makeQueue(_:)``. Any thread.
  ///
  /// - Parameters:
  ///   - label: For reports. Need not be unique.
  ///   - width: The most tasks of the queue that run at a time. Traps if less than 1.
  public func makeQueue(label: String, width: Int) -> TaskQueue {
    makeQueue(QueueOptions(label: label, width: width))
  }
}
