/// A dispatcher's clock. Sleeping uses the loop's timer, or a fake's virtual time.
///
/// Code that takes a `Clock`, or this one, needs no waiting in a test.
public struct DispatcherClock: Clock, Sendable {
  public typealias Instant = DispatcherInstant

  private let dispatcher: any TaskDispatcher

  /// The clock of `dispatcher`. Keeps the dispatcher alive.
  public init(_ dispatcher: any TaskDispatcher) {
    self.dispatcher = dispatcher
  }

  /// The present time on this dispatcher. Any thread.
  public var now: DispatcherInstant { dispatcher.now }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Suspends the calling Task until `deadline`. Any thread.
  ///
  /// The Task never resumes early. As far as the dispatcher decides, it resumes at most `tolerance` late. If
  /// the deadline has passed already, the Task resumes in a step of its own.
  ///
  /// - Throws: `CancellationError` if the Task is cancelled, or the dispatcher shuts down, first.
  public func sleep(until deadline: DispatcherInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let alarm = Alarm()
    let foreground = dispatcher.foreground
    let item = WorkItem.make(
      kind: .sleep, queue: foreground, label: nil,
      site: CallSite(fileID: "clock.sleep", line: 0), due: deadline,
      tolerance: max(.zero, tolerance ?? .zero)
    ) {}
    item.resumeWhenFinished { outcome in alarm.ring(outcome == .completed) }
    let dispatcher = foreground.implementation
    let woke = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        alarm.set { continuation.resume(returning: $0) }
        if case .refused = dispatcher.submit(item) { return }
        // If the Task was cancelled between the check and the submission, `onCancel` found nothing to cancel.
        if Task.isCancelled { _ = dispatcher.cancel(item) }
      }
    } onCancel: {
      _ = dispatcher.cancel(item)
    }
    guard woke else { throw CancellationError() }
  }
}

/// Connects a sleeping Task and its wake-up, whichever comes first.
private final class Alarm: Sendable {
  private struct State {
    var wake: (@Sendable (Bool) -> Void)?
    var rang: Bool?
  }
  private let state = Locked(State())

  func set(_ wake: @escaping @Sendable (Bool) -> Void) {
    let rang = state.withLock { state in
      if state.rang == nil { state.wake = wake }
      return state.rang
    }
    if let rang { wake(rang) }
  }

  func ring(_ woke: Bool) {
    let wake = state.withLock { state in
      state.rang = state.rang ?? woke
      return state.wake.take()
    }
    wake?(woke)
  }
}
