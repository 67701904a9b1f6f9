public import TaskDispatch

/// Counts the files of a spool, for a bar that has to know how long it gets.
///
/// A walk of its own beside that of the ``Intake``, which looks only so far ahead as it must.
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

  /// How much there is; nil until everything is counted. On the foreground.
  public var total: Amount? { state.withValue { $0.isOver ? $0.amount : nil } }

  /// Begins, or goes on. A body that a shutdown drains may still submit, so it asks each time.
  ///
  /// - Parameter isWanted: Whether anybody still wants to know. Called on the foreground.
  public func start(while isWanted: @escaping @Sendable () -> Bool) {
    counting(label: "count") { [walk] in
      try walk.withValue { walk in try walk.next(1_000) }
    } then: { result in
      // What stops a walk is for the intake to tell.
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
