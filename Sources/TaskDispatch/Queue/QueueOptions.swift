/// What a queue is made with: see ``TaskDispatcher/makeQueue(_:)``.
public struct QueueOptions: Sendable, Hashable {
  /// Names the queue in errors, reports and traces. Need not be unique.
  public var label: String
  /// The most tasks of the queue that run at a time. At least 1. On workers, the background's own width is a limit as
  /// well. A queue of width 1 is a serial queue.
  public var width: Int

  /// - Parameters:
  ///   - label: Names the queue in errors, reports and traces.
  ///   - width: The most tasks of the queue that run at a time. ``TaskDispatcher/makeQueue(_:)`` traps if it is less
  ///     than 1.
  public init(label: String, width: Int = 1) {
    self.label = label
    self.width = width
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
