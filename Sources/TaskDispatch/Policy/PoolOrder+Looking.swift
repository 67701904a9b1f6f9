/// Asks what would start, without starting it. Only the fake asks.
extension PoolOrder {
  /// Whether a view other than the background has work, so that ready tokens decide the order.
  @inlinable package var isContended: Bool { usesTokens }

  /// Shows the task that a free worker would start now to `body`. Nil if no worker is free, or no task may
  /// start.
  ///
  /// O(bands); but O(everything that waits) while a blocked caller of `sync` waits to be admitted.
  @inlinable package func withNext<Result>(
    now: () -> Int64, _ body: (borrowing Entry) -> Result
  ) -> Result? {
    guard busyWorkers < width else { return nil }
    let view = usesTokens ? tokens.withNext(now: now) { $0.view } : background
    guard let view else { return nil }
    if view.queue.callersWaiting == 0 { return view.queue.withNext(now: now, body) }
    var order = clone()
    return order.start(now: now).map { body($0.taken.entry) }
  }

  /// Shows the tasks that free workers would start now to `body`, in their order, as if no task ended in
  /// between.
  ///
  /// O(those tasks) while only one band of the background has work, else O(everything that waits).
  @inlinable package func forEachStartable(now: () -> Int64, _ body: (borrowing Entry) -> Void) {
    guard canStart(now: now) else { return }
    if isBackgroundAlone,
      background.queue.ready.hasOneBandAndNoBarrier
    {
      var free = min(width - busyWorkers, background.queue.workerRoom)
      background.queue.ready.forEachWhile { entry in
        guard free > 0 else { return false }
        free -= 1
        body(entry)
        return true
      }
      return
    }
    var order = clone()
    while let next = order.start(now: now) { body(next.taken.entry) }
  }

  /// Whether a new task in `band` might start before a waiting task that could start now. Also true in the
  /// cases that only a closer look could decide.
  @inlinable package func mayOvertake(in band: PriorityBand) -> Bool {
    guard isBackgroundAlone else { return true }
    return PriorityBand.allCases.contains {
      $0 < band && background.queue.ready.hasStartable(in: $0)
    }
  }

  @inlinable var isBackgroundAlone: Bool { !usesTokens && background.queue.callersWaiting == 0 }

  /// A separate copy in the same state, to ask what would happen. O(everything that waits).
  @inlinable package func clone() -> PoolOrder<Entry> {
    var copies: [ObjectIdentifier: View] = [:]
    func copy(_ view: View) -> View {
      if let known = copies[ObjectIdentifier(view)] { return known }
      let made = view.clone()
      copies[ObjectIdentifier(view)] = made
      return made
    }
    var clone = PoolOrder(width: width, background: copy(background), agingStep: tokens.agingStep)
    clone.tokens = tokens.clone(
      relocated: { $0.moved(to: $1) }, { ReadyToken(view: copy($0.view), serial: $0.serial) })
    clone.busyWorkers = busyWorkers
    clone.usesTokens = usesTokens
    clone.viewsWithTokens = viewsWithTokens
    return clone
  }
}
