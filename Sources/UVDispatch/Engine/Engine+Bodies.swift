internal import TaskDispatch

/// How bodies run, in a worker run and on the loop: one after the other in a *batch*, for as long as nothing has to be
/// reconciled and no callback is due.
extension Engine {
  /// Under the lock, which it frees while bodies run: runs the body of a task that has begun, and ends the task. In the
  /// context of the calling thread it goes on with the next tasks of the batch.
  ///
  /// - Parameters:
  ///   - context: The context of the calling thread.
  ///   - budget: The time budget of the batch.
  ///   - left: How many more bodies may run. Lowered by those that ran.
  /// - Returns: Whether the time budget is used up.
  func run(
    _ begun: consuming Begun, in context: BatchContext, _ core: Core,
    within budget: inout TimeBudget, left: inout Int
  ) -> Bool {
    if case .task(let task) = consume begun {
      run(task, core)
      core.reuse(consume task)
      left -= 1
      return budget.isUsedUp { core.now }
    }
    var isUsedUp = false
    var telling: WorkItem.Telling?
    let outcome = runInContext(
      context, core, within: &budget, left: &left, isUsedUp: &isUsedUp, &telling)
    core.finish(context, outcome, telling)
    return isUsedUp
  }

  /// Under the lock, which it frees while bodies run: runs what the running-task context of a thread holds, and then
  /// the next tasks of the batch.
  ///
  /// - Parameter telling: Set if the last task is an item that has got its outcome already: what is left of its end.
  /// - Returns: The outcome of the last task, which the caller has to end.
  @inline(__always) private func runInContext(
    _ context: BatchContext, _ core: Core, within budget: inout TimeBudget, left: inout Int,
    isUsedUp: inout Bool, _ telling: inout WorkItem.Telling?
  ) -> Outcome {
    var outcome = Outcome.completed
    // A `var`: a `let` would keep the first body until this returns, and release it under the lock.
    var first = context.takePlain()
    context.enter(by: dispatcher)
    defer { context.leave() }
    unlock()
    var plain: PlainTask
    if let body = first.take() {
      plain = body
    } else {
      guard
        let next = runItems(
          in: context, core, within: &budget, left: &left, isUsedUp: &isUsedUp, last: &outcome,
          &telling)
      else { return outcome }
      plain = next
    }
    while true {
      Self.perform(consume plain)
      lock()
      left -= 1
      isUsedUp = budget.isUsedUp { core.now }
      if isUsedUp || left <= 0 { return outcome }
      if let next = core.takeNextOfBatch(in: context, at: budget.lastLook) {
        plain = next
        // No invariant has to be restored: see ``Core/takeNextOfBatch(in:at:)``.
        free()
        continue
      }
      guard core.beginNextItem(in: context, ending: .completed) else { return outcome }
      free()
      guard
        let next = runItems(
          in: context, core, within: &budget, left: &left, isUsedUp: &isUsedUp, last: &outcome,
          &telling)
      else { return outcome }
      plain = next
    }
  }

  /// Called without the lock, which it takes: runs the item that the running-task context of a thread holds, and then
  /// the next items, for as long as their ends need no callbacks. A thread that calls back into user code must hold
  /// no task that it has yet to run.
  ///
  /// Only this function and the context may hold an item here. Otherwise the last reference might be dropped under
  /// the lock.
  ///
  /// - Parameters:
  ///   - outcome: Becomes that of the last item, if the caller has to end it as it ends any task.
  ///   - telling: Set as well, if that item has got its outcome already.
  /// - Returns: The plain body that comes next, with the lock free. Nil, under the lock, if none does.
  @inline(never) private func runItems(
    in context: BatchContext, _ core: Core, within budget: inout TimeBudget, left: inout Int,
    isUsedUp: inout Bool, last outcome: inout Outcome, _ telling: inout WorkItem.Telling?
  ) -> PlainTask? {
    while true {
      let item = context.item!
      let ended = item.run()
      lock()
      left -= 1
      isUsedUp = budget.isUsedUp { core.now }
      outcome = ended
      // An item is ended as any task is if other code has seen its context, if it was abandoned, or if it is the last
      // of the batch.
      guard context.mayGoOn, !isUsedUp, left > 0 else { return nil }
      var isAwaited = false
      if !item.completeQuietly(after: ended) {
        guard let told = item.setOutcome(ended) else { return nil }
        guard told.isNothing else {
          telling = told
          return nil
        }
        isAwaited = told.isAwaited
      }
      let isFollowed = core.beginNextItem(in: context, ending: ended)
      var plain: PlainTask?
      if !isFollowed {
        guard
          let next = core.takeNextOfBatch(ofItemIn: context, at: budget.lastLook, ending: ended)
        else {
          telling = WorkItem.Telling(isAwaited: isAwaited)
          return nil
        }
        plain = next
      }
      if isAwaited { core.blocked.flagWaiters(of: item) }
      free()
      // Releasing the item here runs no user code.
      _ = consume item
      if !isFollowed { return plain }
    }
  }

  /// Runs a body, and releases it before it returns. The release may run a `deinit` of the user's.
  @inline(never) private static func perform(_ plain: consuming PlainTask) { plain.body() }

  /// Makes a task that has begun the current task of this thread, and frees the lock.
  ///
  /// Callbacks that report the start run in no task. But if one blocks, this task counts as blocked.
  @inline(__always) func enterAndUnlock(_ task: QueuedTask, hidesOuter: Bool = false) {
    task.enter(by: dispatcher, hidesOuter: hidesOuter)
    unlock(outsideTasks: true)
  }

  /// Under the lock, which it frees while the body runs: runs the body of a task that has begun, and ends the task.
  func run(_ task: QueuedTask, _ core: Core, hidesOuter: Bool = false) {
    enterAndUnlock(task, hidesOuter: hidesOuter)
    let outcome = task.perform()
    task.leave()
    lock()
    core.finish(task, outcome)
  }
}
