/// What a dispatcher knows of a queue that `makeQueue` made. Dispatchers subclass it.
///
/// A view has no threads and holds no task alive; letting go of the last ``TaskQueue`` of a view
/// loses no task that was submitted to it.
open class QueueView: @unchecked Sendable {
  // Immutable; a subclass answers for what it adds.

  public let label: String
  /// The most tasks of this view that run at a time. At least 1.
  public let width: Int

  /// Traps if `width` is less than 1.
  public init(label: String, width: Int) {
    Self.require(width: width, label: label)
    self.label = label
    self.width = width
  }

  /// Traps if `width` is less than 1, in words that name the queue. For subclasses that need the
  /// width before they can call the initializer.
  public static func require(width: Int, label: String) {
    TaskDispatch.require(
      width >= 1, "the queue \"\(label)\" needs a width of at least 1 (width: \(width))")
  }
}
