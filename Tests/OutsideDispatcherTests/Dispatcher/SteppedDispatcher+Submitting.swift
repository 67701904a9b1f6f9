import TaskDispatch

extension SteppedDispatcher {
  func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    let item = WorkItem.make(kind: .task, queue: queue, label: nil, site: site, body: body)
    return submit(item, as: .plain, mayWait: false)
  }

  func submit(_ item: WorkItem) -> Admission { submit(item, as: .item, mayWait: false) }

  func submitWhenRoom(_ item: WorkItem) { _ = submit(item, as: .item, mayWait: true) }

  /// - Parameter mayWait: Whether the item may wait for room in its queue. Else the overflow of the queue says what
  ///   happens if there is none.
  private func submit(
    _ item: WorkItem, as role: SteppedTask.Role, mayWait: Bool
  ) -> Admission {
    let view = view(item.view)
    // Another submission of an item changes nothing, whichever dispatcher it went to.
    guard let taken = item.take() else { return item.admissionAgain }
    var noRoom: Refusal?
    if !mayWait, item.countsAgainstLimits { noRoom = makeRoom(for: item, view) }
    return withState { state in
      let task = state.makeTask(taken, role, on: item.lane, view)
      if let refusal = state.refusal(of: item) ?? noRoom {
        state.refuse(task, refusal)
        return .refused(refusal)
      }
      if item.countsAgainstLimits, task.line.isFull {
        guard mayWait else {
          state.refuse(task, .limitReached)
          return .refused(.limitReached)
        }
        state.accept(task)
        state.waitingForRoom.append(task)
        return .accepted
      }
      state.accept(task)
      state.put(task)
      return .accepted
    }
  }

  /// Accepts a job of a Swift Task, which cannot be refused.
  func accept(
    _ job: UnownedJob, _ executor: any SteppedExecutor, on lane: Lane, _ view: SteppedView?
  ) {
    let queue = TaskQueue(dispatcher: self, view: view, lane: lane)
    let item = WorkItem.make(
      kind: .job, queue: queue, label: nil, site: CallSite(fileID: "a Swift Task", line: 0),
      band: PriorityBand(TaskPriority(rawValue: job.priority.rawValue))
    ) { executor.run(job) }
    guard let taken = item.take() else { fatalError("a new item was taken before") }
    withState { state in
      let task = state.makeTask(taken, .job(job, executor), on: lane, view)
      state.accept(task)
      state.put(task)
    }
  }

  func release(_ item: WorkItem) {
    withState { state in
      guard let index = state.held.firstIndex(where: { $0.taken.item === item }) else { return }
      state.line(up: state.held.remove(at: index))
    }
  }

  func cancel(_ item: WorkItem) -> Cancellation {
    let answer = withState { $0.cancel(item) }
    advanceShutdown()
    return answer
  }

  nonisolated(nonsending) func flush(_ queue: TaskQueue) async {
    let line = view(queue.view)?.line
    await withCheckedContinuation { continuation in
      withState { state in
        state.flush(line ?? state.line(of: queue.lane)) { continuation.resume() }
      }
    }
  }
}
