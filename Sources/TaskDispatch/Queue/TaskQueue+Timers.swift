extension TaskQueue {
  /// Submits `body` once `delay` has passed: never before, and later if the queue is busy. Any thread.
  ///
  /// - Parameters:
  ///   - delay: From now. Zero or less submits at once. More than about 292 years means never.
  ///   - tolerance: How much later `body` may start if that saves a wake-up. Negative counts as zero.
  ///   - priority: The band in which `body` waits once the timer is due.
  ///   - timeToLive: If `body` has not started this long after its time, it expires.
  /// - Returns: A handle that cancels the timer. If a shutdown refuses the timer, the outcome of the handle
  ///   says so.
  /// - Complexity: O(log n) among *n* timers.
  @discardableResult
  public func after(
    _ delay: Duration, tolerance: Duration = .zero, priority: PriorityBand = .medium,
    label: String? = nil, group: WorkGroup? = nil, timeToLive: Duration? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> TimerHandle {
    let isNow = !delay.isPositive
    let item = WorkItem.make(
      // Without a delay it is no timer: it waits in the queue behind what was posted before it (rule 8).
      kind: isNow ? .task : .timer, queue: self, label: label,
      site: CallSite(fileID: fileID, line: line), band: priority,
      due: isNow ? nil : implementation.now.advanced(by: delay), tolerance: tolerance,
      timeToLive: timeToLive, group: group, body: body)
    _ = implementation.submit(item)
    return TimerHandle(item: item, dispatcher: implementation)
  }

  /// Submits `body` again and again, first when one `interval` has passed, until it is cancelled. Any thread.
  ///
  /// The timer has at most one run, on whatever queue and however long the run takes: the run waits in its
  /// queue, or it is in its body. A tick that comes while there is a run gets no run of its own, or gets one
  /// later, as `catchUp` says.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks. Traps if it is not positive.
  ///   - catchUp: What to do about ticks that come while there is a run, and about ticks that the loop is
  ///     late for. The body reads in ``CurrentTask/missedTicks`` how many ticks got no run.
  ///   - tolerance: How much later than its tick a run may start if that saves a wake-up. Negative counts as
  ///     zero.
  ///   - priority: The band in which each run waits.
  ///   - group: Counts the timer as a member until the timer has ended.
  /// - Returns: A handle that cancels the timer. If a shutdown refuses the timer, the outcome of the handle
  ///   says so.
  /// - Complexity: O(log n) among *n* timers, for each tick.
  @discardableResult
  public func every(
    _ interval: Duration, catchUp: CatchUp = .skip, tolerance: Duration = .zero,
    priority: PriorityBand = .medium, label: String? = nil, group: WorkGroup? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> TimerHandle {
    let item = WorkItem.make(
      kind: .repeating, queue: self, label: label, site: CallSite(fileID: fileID, line: line),
      band: priority, due: implementation.now.advanced(by: interval), tolerance: tolerance,
      repetition: Repetition(every: interval, catchUp: catchUp), group: group, body: body)
    _ = implementation.submit(item)
    return TimerHandle(item: item, dispatcher: implementation)
  }
}
