import TaskDispatch

extension Stage.Record {
  mutating func setActivity(of context: Int, _ activity: WaitState.Activity) {
    guard let index = state.index(ofFrame: context) else { return }
    state.contexts[index].activity = activity
  }

  mutating func report(_ kind: Finding.Kind, _ text: String) {
    guard !isOver else { return }
    findings.append(Finding(kind: kind, text: text, state: state, story: story))
  }

  /// Changes the state in a way that may empty groups or end tasks, and makes callbacks due for that.
  ///
  /// - Parameter queue: The queue of the task that the change ends.
  mutating func change(endingTaskOf queue: Int? = nil, _ body: (inout WaitState) -> Void) {
    let before = state
    body(&state)
    var callbacks: [Int] = []
    for task in state.endedTasks.subtracting(before.endedTasks) {
      callbacks += whenEnded.removeValue(forKey: task) ?? []
    }
    for group in state.groups.indices
    where state.groups[group].round != before.groups[group].round {
      callbacks += whenEmpty.removeValue(forKey: group) ?? []
    }
    makeDue(callbacks, after: queue)
  }

  /// Makes callbacks due. They run on one thread, one after the other.
  mutating func makeDue(_ callbacks: [Int], after queue: Int? = nil) {
    let batch = number()
    state.dueCallbacks.formUnion(callbacks)
    for callback in callbacks {
      state.batches[callback] = batch
      state.queuesOfCallbacks[callback] = queue
    }
  }

  /// A script begins that stood in `queue`.
  mutating func take(_ work: WaitState.Work, from queue: Int, on place: WaitState.Place) {
    if case .task(let task) = work,
      let top = state.contexts.last(where: { $0.place == place }),
      let (kind, text) = objection(inWaitOf: top, { $0.objection(toHelpOn: top, with: queue) })
    {
      let name = WaitProgram.name(ofQueue: queue)
      report(kind, "t\(task) of \(name) starts on the stack of \(state.name(of: top)): \(text)")
    }
    // A timer may have come due behind other tasks, so the item that begins need not be the first in the
    // record.
    state.timers.removeAll { timer in work == .task(timer.task) }
    state.queues[queue].items.removeAll { item in
      switch item.content {
      case .task(let task): work == .task(task)
      case .caller(_, let ticket): work == .syncBody(ticket)
      }
    }
  }

  /// What speaks against what has become of the wait of `context`. Nil if nothing does. Nil also if nothing did
  /// earlier in the same wait: the dispatcher may have decided then, and other threads may have recorded their
  /// steps since.
  func objection(
    inWaitOf context: WaitState.Frame,
    _ objection: (WaitChecker) -> (Finding.Kind, String)?
  ) -> (Finding.Kind, String)? {
    guard let found = objection(WaitChecker(state)) else { return nil }
    for state in earlier.reversed() {
      guard state.isOnTop(context),
        state.context(context.number)?.activity == context.activity
      else { break }
      if objection(WaitChecker(state)) == nil { return nil }
    }
    return found
  }

  /// The wait of `context` has returned.
  mutating func noteReturn(_ context: Int) {
    guard !isOver, let waiter = state.context(context),
      case .waiting(let target, _) = waiter.activity
    else { return }
    let name = state.name(of: waiter)
    story.append("the wait of \(name) for \(state.name(of: target)) has ended")
    if !state.hasComeAbout(target) {
      report(.earlyReturn, "\(name) does not wait any more for \(state.name(of: target))")
    }
    setActivity(of: context, .moving)
  }

  /// The wait of `context` has been refused, or its time-out has passed.
  mutating func note(_ error: any Error, of context: Int) {
    guard !isOver, let waiter = state.context(context),
      case .waiting(let target, let isTimed) = waiter.activity
    else { return }
    let name = "the wait of \(state.name(of: waiter)) for \(state.name(of: target))"
    switch error {
    case WaitRefusal.timedOut where isTimed: story.append("the time-out of \(name) has passed")
    case WaitRefusal.wouldDeadlock(let chain):
      let chain = chain.map(\.description).joined(separator: "; ")
      story.append("\(name) is refused: \(chain)")
      let objection = objection(inWaitOf: waiter) { [held] checker in
        checker.objection(toRefusalOf: context, while: held)
      }
      if let (kind, text) = objection {
        report(kind, "\(name) was refused [\(chain)], but \(text)")
      }
    default: report(.otherRefusal, "\(name): \(error)")
    }
    if case .sync = target { refusals += 1 }
    state.withdraw(target, of: waiter)
    setActivity(of: context, .moving)
  }
}
