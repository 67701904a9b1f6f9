internal import Synchronization
internal import TaskDispatch

/// Leases, and how bodies are run in them and on the loop.
extension UVDispatcher {
  /// A lease: runs what the policy says is next, one task after the other, until there is nothing or
  /// its quantum is over. Then the thread is libuv's again.
  func work() {
    let core = lock()
    core.workers.arrive()
    var frame = core.makeFrame(on: .background)
    var term = Term(from: core.now)
    var left = Int.max
    // Whoever started it has counted it as searching.
    var isSearching = true
    var mayLookOnce = true
    var away: Int64 = 0
    while true {
      let next = core.startOnWorker(frame)
      if isSearching {
        // What it took or did not find, ``Core/settle()`` knows now; it starts the next searcher.
        core.workers.endSearch()
        isSearching = false
      }
      if let next = consume next {
        let isUsedUp = run(next, core, within: &term.allotment, left: &left)
        core.reuse(consume next)
        core.renewIfKnown(&frame)
        mayLookOnce = true
        guard isUsedUp else { continue }
        let end = term.end(at: core.now) { Leases.hadThreadToSpare(since: monotonic($0)) }
        // Others wait for a thread of the pool as well; what is left gets a lease at its tail.
        if end == .isOver { break }
        if end == .asks {
          core.workers.beginSearch()
          isSearching = true
          unlock()
          Leases.askForThreadToSpare()
          lock()
        }
        continue
      }
      guard mayLookOnce, core.workers.maySpin(at: core.now, away: away) else { break }
      core.workers.beginSearch()
      isSearching = true
      mayLookOnce = false
      away = lookForWork(core)
    }
    if core.leavesWhenIdle || core.shutdown != nil { core.loop.isWanted = true }
    unlock()
  }

  /// Frees the lock while it looks whether something comes that a worker may start.
  ///
  /// - Returns: For how long others had the processor when it gave way, in nanoseconds.
  private func lookForWork(_ core: Core) -> Int64 {
    let (began, length) = (core.now, core.workers.patience.length)
    unlock()
    let search = spin(nanoseconds: length) {
      core.inbox.mayHoldEntries || core.inbox.mayHoldViews
        || core.mayStart.load(ordering: .relaxed)
    }
    lock()
    if !search.hasFound { core.workers.patience.noteInVain(since: began) }
    return search.away
  }

  /// Under the lock, which it frees meanwhile: runs the body of a task that has begun, and ends it.
  /// After a plain body it goes on with those that come next.
  ///
  /// - Parameter left: How many bodies may run.
  /// - Returns: Whether the allotment is used up.
  func run(
    _ task: QueuedTask, _ core: Core, within allotment: inout Allotment, left: inout Int
  ) -> Bool {
    guard task.isFrame else {
      run(task, core)
      left -= 1
      return allotment.isUsedUp { core.now }
    }
    var isUsedUp = false
    let outcome = runInFrame(task, core, within: &allotment, left: &left, isUsedUp: &isUsedUp)
    core.finish(task, outcome)
    return isUsedUp
  }

  /// Under the lock, which it frees meanwhile: runs what a frame of a thread holds, and what comes next.
  ///
  /// - Returns: The outcome of the last, which still has to be ended.
  @inline(__always) private func runInFrame(
    _ frame: QueuedTask, _ core: Core, within allotment: inout Allotment, left: inout Int,
    isUsedUp: inout Bool
  ) -> Outcome {
    var outcome = Outcome.completed
    let first = frame.takePlain()
    frame.enter(by: self)
    defer { frame.leave() }
    unlock()
    var plain: PlainTask
    if let first {
      plain = first
    } else {
      guard
        let next = runItems(
          in: frame, core, within: &allotment, left: &left, isUsedUp: &isUsedUp, last: &outcome)
      else { return outcome }
      plain = next
    }
    while true {
      Self.perform(consume plain)
      lock()
      left -= 1
      isUsedUp = allotment.isUsedUp { core.now }
      if isUsedUp || left <= 0 { return outcome }
      if let next = core.takeSuccessor(in: frame, at: allotment.lastLook) {
        plain = next
        // There is nothing to settle: see ``Core/takeSuccessor(in:at:)``.
        free()
        continue
      }
      guard core.goOnWithItem(in: frame, ending: .completed) else { return outcome }
      free()
      guard
        let next = runItems(
          in: frame, core, within: &allotment, left: &left, isUsedUp: &isUsedUp, last: &outcome)
      else { return outcome }
      plain = next
    }
  }

  /// Without the lock, which it takes: runs the item that the frame of a thread holds, and the items that
  /// come next.
  ///
  /// Nobody but this and the frame may hold one here: else the last to let go of it might have the lock.
  ///
  /// - Parameter outcome: Becomes that of the last item, if that has to be ended as any task is.
  /// - Returns: The plain body that follows; then the lock is free again. Nil, under the lock, if none
  ///   does.
  @inline(never) private func runItems(
    in frame: QueuedTask, _ core: Core, within allotment: inout Allotment, left: inout Int,
    isUsedUp: inout Bool, last outcome: inout Outcome
  ) -> PlainTask? {
    while true {
      let item = frame.item!
      let ended = item.run()
      lock()
      left -= 1
      isUsedUp = allotment.isUsedUp { core.now }
      let mayGoOn = !isUsedUp && left > 0
      let isFollowed = mayGoOn && core.goOnWithItem(in: frame, ending: ended)
      let plain =
        mayGoOn && !isFollowed
        ? core.takeSuccessor(ofItemIn: frame, at: allotment.lastLook, ending: ended) : nil
      guard isFollowed || plain != nil else {
        outcome = ended
        return nil
      }
      free()
      // Those who are told are in no task, nor is what the item lets go of.
      frame.stepAside()
      item.finish(ended)
      _ = consume item
      frame.stepBack()
      if !isFollowed { return plain }
    }
  }

  /// Runs a body, and lets go of it before it returns, which may run anybody's `deinit`.
  @inline(never) private static func perform(_ plain: consuming PlainTask) { plain.body() }

  /// Under the lock, which it frees meanwhile: runs the body of a task that has begun, and ends it.
  func run(_ task: QueuedTask, _ core: Core, hidesOuter: Bool = false) {
    unlock()
    let outcome = task.perform(by: self, hidesOuter: hidesOuter)
    lock()
    core.finish(task, outcome)
  }
}
