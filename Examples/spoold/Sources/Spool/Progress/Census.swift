public import TaskDispatch

/// Counts the files of a spool, for a progress bar that needs the total.
///
/// It has a walk of its own, since the walk of the ``Intake`` looks ahead only as far as it must.
public final class Census: Sendable {
  private struct State {
    var amount = Amount()
    var isOver = false
  }

  private let counting: TaskQueue
  private let walk: Confined<Walk>
  private let state: Confined<State>

  public init(of spool: SpoolDirectory, dispatcher: any TaskDispatcher) {
    counting = dispatcher.makeQueue(label: "count", width: 1)
    walk = Confined(Walk(spool), to: counting)
    state = Confined(State(), to: dispatcher.foreground)
  }

  /// How much there is; nil until everything is counted. Call it on the foreground.
  public var total: Amount? { state.withValue { $0.isOver ? $0.amount : nil } }

  /// Begins, or goes on. During a drain its bodies may still submit, so it asks `isWanted` each time.
  ///
  /// - Parameter isWanted: Whether the total is still wanted. Called on the foreground.
  public func start(while isWanted: @escaping @Sendable () -> Bool) {
    counting.async(label: "count") { [walk] in
      try walk.withValue { walk in try walk.next(1_000) }
    } then: { result in
      // If an error stops the walk, the intake reports it.
      guard let batch = try? result.get(), isWanted() else { return }
      let goesOn = self.state.withValue { state in
        for found in batch.files { state.amount.add(found) }
        state.isOver = batch.isLast
        return !batch.isLast
      }
      if goesOn { self.start(while: isWanted) }
    }
  }
}
