/// A view: a queue of limited width on the pool, made by `makeQueue`. Dispatchers subclass it.
///
/// A view has no threads, and it keeps no task alive. When the last ``TaskQueue`` of a view is released, the
/// tasks that were submitted to it still run.
open class QueueView: @unchecked Sendable {
  // Immutable. A subclass is responsible for the thread safety of what it adds.

  /// Names the queue in errors, reports and traces.
  public let label: String
  /// The most tasks of this view that run at a time. At least 1.
  public let width: Int

  /// Makes a view. Traps if `width` is less than 1.
  public init(label: String, width: Int) {
    Self.require(width: width, label: label)
    self.label = label
    self.width = width
  }

  /// Traps if `width` is less than 1, with a message that names the queue. For subclasses that need the width
  /// before they can call the initializer.
  public static func require(width: Int, label: String) {
    TaskDispatch.require(
      width >= 1, "the queue \"\(label)\" needs a width of at least 1 (width: \(width))")
  }
}
