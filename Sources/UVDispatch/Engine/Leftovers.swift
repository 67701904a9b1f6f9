internal import TaskDispatch

/// What a dispatcher holds that no thread holds any more: outcomes, what is told of them, handlers of events, and its
/// observer.
final class Leftovers: @unchecked Sendable {
  // Touched by one thread at a time: that which ends the dispatcher, and then the one that tells.
  private var work: [QueuedTask.Work]
  private var tellings: [WorkItem.Telling?] = []
  private var notes: Outbox.Contents?
  private var observer: (any TaskObserver)?

  init(_ work: [QueuedTask.Work], _ notes: Outbox.Contents?, observer: (any TaskObserver)?) {
    self.work = work
    self.notes = notes
    self.observer = observer
  }

  /// Gives each its outcome, and then tells of them and releases them: on this thread, or on one of its own if this
  /// one releases dispatchers for others. User code may take its time, and such a thread is one of the pool's that
  /// counts as free, or has others to call, or is about to wait.
  ///
  /// - Parameter name: Of the other thread.
  func end(named name: String) {
    if work.isEmpty, notes == nil, observer == nil { return }
    // Before the first of them is told: user code may ask for any.
    tellings = work.map { work in
      if case .item(let item) = work { item.setOutcome(.cancelled) } else { nil }
    }
    for case (.item(let item), let telling?) in zip(work, tellings) { item.wakeThreads(telling) }
    guard TaskFrame.threadReleases else { return tell() }
    do throws(UVError) {
      try OwnThread.start(named: "\(name) end") { self.tell() }
    } catch {
      // No room for a thread: this one has to do.
      tell()
    }
  }

  private func tell() {
    let (work, tellings) = (work, tellings)
    (self.work, self.tellings) = ([], [])
    for case (.item(let item), let telling?) in zip(work, tellings) {
      item.resume(.cancelled, telling)
    }
    // From here on user code may take its time.
    observer = nil
    notes.take()?.deliver()
    for (work, telling) in zip(work, tellings) {
      switch work {
      case .item(let item): if let telling { item.tell(.cancelled, telling) }
      // It cannot be refused.
      case .job(let job, _): globalConcurrentExecutor.enqueue(job)
      case .plain, .caller, .mainQueue: break
      }
    }
  }
}
