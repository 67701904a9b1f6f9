extension TaskQueue {
  /// Submits `body` once `delay` has passed: never before, and late by as much as the queue is busy.
  ///
  /// - Parameters:
  ///   - delay: From now. Zero or less submits at once; more than about 292 years means never.
  ///   - tolerance: How much later it may start if that saves a wake-up. Negative counts as zero.
  ///   - timeToLive: If it has not started this long after its time, it expires.
  /// - Returns: A handle that cancels it; also if it is refused, because of a shutdown.
  /// - Complexity: O(log n) among *n* timers.
  @discardableResult
  public func after(
    _ delay: Duration, tolerance: Duration = .zero,
    label: String? = nil, group: WorkGroup? = nil, timeToLive: Duration? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> TimerHandle {
    timer(
      delay, tolerance, CallSite(fileID: fileID, line: line), label, group, timeToLive, body)
  }

  /// As the other, in the band of `priority` once its time has come.
  @discardableResult
  public func after(
    _ delay: Duration, tolerance: Duration = .zero, priority: TaskPriority?,
    label: String? = nil, group: WorkGroup? = nil, timeToLive: Duration? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> TimerHandle {
    timer(delay, tolerance, site(priority, fileID, line), label, group, timeToLive, body)
  }

  @inline(__always) private func timer(
    _ delay: Duration, _ tolerance: Duration, _ site: CallSite, _ label: String?,
    _ group: WorkGroup?, _ timeToLive: Duration?, _ body: @escaping @Sendable () -> Void
  ) -> TimerHandle {
    let isNow = !delay.isPositive
    let item = WorkItem.make(
      // No delay is no timer: it stands in the queue behind what was posted before it (rule 8).
      kind: isNow ? .task : .timer, queue: self, label: label, site: site,
      due: isNow ? nil : dispatcher.now.advanced(by: delay),
      tolerance: tolerance,
      timeToLive: timeToLive, group: group, body: body)
    _ = dispatcher.submit(item)
    return TimerHandle(item: item, dispatcher: dispatcher)
  }

  /// Submits `body` again and again, first when one `interval` has passed, until it is cancelled.
  ///
  /// Never two runs at a time, nor more than one that waits, on whatever queue and however long a run takes: a tick
  /// that comes while there is a run gets none of its own, or a later one, as `catchUp` says.
  ///
  /// - Parameters:
  ///   - interval: Between two ticks. Traps if it is not positive.
  ///   - catchUp: What to do about ticks that come while there is a run, and those that the loop is late for. The
  ///     body reads in ``CurrentTask/missedTicks`` how many got no run.
  ///   - tolerance: How much later than its tick a run may start if that saves a wake-up.
  ///   - group: Has the timer in it until that has ended.
  /// - Returns: A handle that cancels it; also if it is refused, because of a shutdown.
  /// - Complexity: O(log n) among *n* timers, for each tick.
  @discardableResult
  public func every(
    _ interval: Duration, catchUp: CatchUp = .skip, tolerance: Duration = .zero,
    priority: TaskPriority? = nil, label: String? = nil, group: WorkGroup? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> TimerHandle {
    let item = WorkItem.make(
      kind: .repeating, queue: self, label: label, site: site(priority, fileID, line),
      due: dispatcher.now.advanced(by: interval),
      tolerance: tolerance,
      repetition: Repetition(every: interval, catchUp: catchUp), group: group, body: body)
    _ = dispatcher.submit(item)
    return TimerHandle(item: item, dispatcher: dispatcher)
  }
}
