/// A dispatcher's clock: sleeps on the loop's timer, or in virtual time.
///
/// Code that takes a `Clock`, or this one, runs in a test without waiting.
public struct DispatcherClock: Clock, Sendable {
  public typealias Instant = DispatcherInstant

  private let dispatcher: any TaskDispatcher

  /// The clock of `dispatcher`. Keeps the dispatcher alive.
  public init(_ dispatcher: any TaskDispatcher) {
    self.dispatcher = dispatcher
  }

  /// Now, on this dispatcher. Any thread.
  public var now: DispatcherInstant { dispatcher.now }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Suspends the calling Task until `deadline`: never less; more by at most `tolerance` as far as
  /// this dispatcher can help it. A deadline that has passed resumes the Task in a step of its own.
  ///
  /// - Throws: `CancellationError` if the Task is cancelled, or the dispatcher shuts down, first.
  public func sleep(until deadline: DispatcherInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let alarm = Alarm()
    let item = WorkItem.make(
      kind: .sleep, queue: dispatcher.foreground, label: nil,
      site: CallSite(fileID: "clock.sleep", line: 0), due: deadline,
      tolerance: max(.zero, tolerance ?? .zero)
    ) {}
    item.resumeWhenFinished { outcome in alarm.ring(outcome == .completed) }
    let dispatcher = dispatcher
    let woke = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        alarm.set { continuation.resume(returning: $0) }
        if case .refused = dispatcher.submit(item) { return }
        // A cancellation that came between the check and the submission found nothing to cancel.
        if Task.isCancelled { _ = dispatcher.cancel(item) }
      }
    } onCancel: {
      _ = dispatcher.cancel(item)
    }
    guard woke else { throw CancellationError() }
  }
}

/// Brings together a sleeper and what wakes it, whichever comes first.
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
