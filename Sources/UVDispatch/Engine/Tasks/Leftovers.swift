internal import TaskDispatch

/// What a dispatcher still holds when no thread refers to it any more: work that never started, deferred callbacks, and
/// the code of the program that was told what happens.
final class Leftovers: @unchecked Sendable {
  // Touched by one thread at a time: by the thread that ends the dispatcher, and then by the thread that tells.
  private var work: [QueuedTask.Work]
  private var tellings: [WorkItem.Telling?] = []
  private var notes: DeferredCallbacks.Contents?
  private var observers: [AnyObject]

  init(
    _ work: [QueuedTask.Work], _ notes: DeferredCallbacks.Contents?, observers: [AnyObject]
  ) {
    self.work = work
    self.notes = notes
    self.observers = observers
  }

  /// Gives each item its outcome. Then makes the callbacks, and releases everything.
  ///
  /// The callbacks run user code, which may take its time. So a thread that only releases dispatchers
  /// (``TaskContext/threadReleases``) starts another thread for them. Such a thread counts as a free one of the pool,
  /// or has other dispatchers to call, or is about to wait. Any other thread makes the callbacks itself.
  ///
  /// - Parameter name: The other thread is named after it.
  func end(named name: String) {
    if work.isEmpty, notes == nil, observers.isEmpty { return }
    // Before the first callback: user code may ask for any of the outcomes.
    tellings = work.map { work in
      if case .item(let item) = work { item.setOutcome(.cancelled) } else { nil }
    }
    for case (.item(let item), let telling?) in zip(work, tellings) { item.wakeThreads(telling) }
    guard TaskContext.threadReleases else { return tell() }
    do throws(UVError) {
      try OwnThread.start(named: name, role: "end") { self.tell() }
    } catch {
      // The system has no room for a thread, so this one tells.
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
    observers = []
    notes.take()?.deliver()
    for (work, telling) in zip(work, tellings) {
      switch work {
      case .item(let item): if let telling { item.tell(.cancelled, telling) }
      // A job cannot be refused: it goes on in Swift's own pool.
      case .job(let job, _): globalConcurrentExecutor.enqueue(job)
      case .plain, .caller, .mainQueue: break
      }
    }
  }
}
