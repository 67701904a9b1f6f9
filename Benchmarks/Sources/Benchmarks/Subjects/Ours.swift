import UVDispatch

/// The loop's thread of a `UVDispatcher`.
final class UVForeground: Subject {
  let dispatcher: UVDispatcher
  private let queue: TaskQueue

  /// - Parameter isInspected: Whether it watches for stalls, and records.
  init(overflow: Overflow = .unbounded, isInspected: Bool = false) throws {
    dispatcher = try UVDispatcher(
      .init(overflow: overflow, recorder: isInspected ? RecorderOptions() : nil))
    if isInspected { try dispatcher.watchStalls { print("\($0)") } }
    try dispatcher.start()
    queue = dispatcher.foreground
  }

  /// - Parameter dispatcher: A dispatcher that was started.
  init(of dispatcher: UVDispatcher) {
    self.dispatcher = dispatcher
    queue = dispatcher.foreground
  }

  func submit(_ counter: Counter, _ rounds: Int) { queue { work(rounds, counter) } }
  func run(_ body: @escaping @Sendable () -> Void) { queue(body) }
}

/// The background of a `UVDispatcher`.
final class UVBackground: Subject {
  let dispatcher: UVDispatcher
  private let queue: TaskQueue

  /// - Parameters:
  ///   - viewWidth: The width of a queue that is made to submit to; nil to submit to the background
  ///     itself.
  ///   - isInspected: Whether it watches for stalls, and records.
  init(
    width: Int, viewWidth: Int? = nil, overflow: Overflow = .unbounded, isInspected: Bool = false
  ) throws {
    dispatcher = try UVDispatcher(
      .init(
        backgroundWidth: width, overflow: overflow,
        recorder: isInspected ? RecorderOptions() : nil))
    if isInspected { try dispatcher.watchStalls { print("\($0)") } }
    precondition(
      dispatcher.effectiveBackgroundWidth == width,
      "the pool is too small for a width of \(width)")
    try dispatcher.start()
    if let viewWidth {
      queue = dispatcher.makeQueue(label: "view", width: viewWidth)
    } else {
      queue = dispatcher.background
    }
  }

  func submit(_ counter: Counter, _ rounds: Int) { queue { work(rounds, counter) } }
  func run(_ body: @escaping @Sendable () -> Void) { queue(body) }
}
