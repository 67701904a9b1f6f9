import TaskDispatch

extension SteppedState {
  // MARK: Beginning

  /// Begins the next task, if one may start: one that is `wanted` if there is one.
  mutating func beginNext(
    of lane: Lane? = nil, wanted: (SteppedTask) -> Bool = { _ in false }
  ) -> SteppedTask? {
    let hasWorker = freeWorkers > 0
    let candidates = lines.filter { lane == nil || $0.lane == lane }
      .flatMap { $0.startable(at: now, agingStep: configuration.agingStep) }
      .filter { !$0.task.isCaller && ($0.task.line.lane == .foreground || hasWorker) }
    guard !candidates.isEmpty else { return nil }
    func first(of tasks: [Line.Candidate]) -> SteppedTask? {
      let preferred = tasks.filter { $0.task.line.lane == preferredLane }
      return (preferred.isEmpty ? tasks : preferred).min { $0.rank < $1.rank }?.task
    }
    guard let task = first(of: candidates.filter { wanted($0.task) }) ?? first(of: candidates)
    else { return nil }
    preferredLane = task.line.lane == .foreground ? .background : .foreground
    begin(task)
    return task
  }

  /// Begins a caller of `sync` if its turn has come.
  mutating func begin(caller: SteppedTask) -> Bool {
    let startable = caller.line.startable(at: now, agingStep: configuration.agingStep)
    guard startable.contains(where: { $0.task === caller }) else { return false }
    begin(caller)
    return true
  }

  private mutating func begin(_ task: SteppedTask) {
    guard task.taken.begin(at: now) else { fatalError("\(task.name) ended while it waited") }
    begun += 1
    task.line.begin(task, at: now, step: begun)
    ledger.waiting -= 1
    ledger.running += 1
    tell(.started, task)
    letInThoseWithRoom()
  }

  // MARK: Ending

  /// Ends a task whose body has run.
  mutating func finish(_ task: SteppedTask, _ outcome: Outcome) {
    task.line.end(task)
    defer { forgetEmptyLines() }
    if task.isAbandoned { return }
    ledger.running -= 1
    ledger.count(outcome)
    tell(.finished(outcome), task)
    noteEnd(of: task)
    if let timer = task.taken.timerOfRun, let timerTask = takeTimerWithRun(timer) {
      goOn(timerTask, timer.endRun(at: now), due: now)
    }
    end(task.taken, outcome)
  }

  /// Ends a task that has not started, and that was taken from where it waited.
  mutating func endUnstarted(_ task: SteppedTask, _ outcome: Outcome) {
    ledger.waiting -= 1
    ledger.count(outcome)
    tell(.finished(outcome), task)
    noteEnd(of: task)
    endTimer(ofRun: task)
    end(task.taken, outcome)
    letInThoseWithRoom()
    forgetEmptyLines()
  }

  /// Takes a task from where it waits. Nil if the item waits nowhere in this dispatcher.
  mutating func takeBack(_ item: WorkItem) -> SteppedTask? {
    if let index = timers.firstIndex(where: { $0.task.taken.item === item }) {
      return timers.remove(at: index).task
    }
    if let index = held.firstIndex(where: { $0.taken.item === item }) {
      return held.remove(at: index)
    }
    if let index = waitingForRoom.firstIndex(where: { $0.taken.item === item }) {
      return waitingForRoom.remove(at: index)
    }
    for line in lines {
      if let task = line.waiting.first(where: { $0.taken.item === item }) {
        line.remove(task)
        return task
      }
    }
    return nil
  }

  mutating func cancel(_ item: WorkItem) -> Cancellation {
    if let timer = timersWithRun.first(where: { $0.taken.item === item }),
      let run = timer.taken.asTimer?.run
    {
      item.requestCancellation()
      // A run that is in its body ends the timer when it has ended.
      return cancel(run.item)
    }
    if let task = running.first(where: { $0.taken.item === item && !$0.isAbandoned }) {
      if !item.isCancellationRequested { tell(.cancellationRequested, task) }
      item.requestCancellation()
      return .requested
    }
    guard let task = takeBack(item) else { return .tooLate }
    endUnstarted(task, .cancelled)
    return .beforeStart
  }

  // MARK: Flushing

  /// Resumes when what waits or runs in `line` now has ended.
  mutating func flush(_ line: Line, _ resume: @escaping @Sendable () -> Void) {
    let tasks = line.waiting + line.running.filter { !$0.isAbandoned }
    let left = Set((tasks + waitingForRoom.filter { $0.line === line }).map(\.number))
    if left.isEmpty {
      resumeLater(resume)
    } else {
      flushes.append(Flush(left: left, resume: resume))
    }
  }

  mutating func noteEnd(of task: SteppedTask) {
    for index in flushes.indices { flushes[index].left.remove(task.number) }
    for flush in flushes where flush.left.isEmpty { resumeLater(flush.resume) }
    flushes.removeAll { $0.left.isEmpty }
  }
}
