internal import TaskDispatch

extension UVDispatcher {
  /// Takes a job that comes when the loop has ended for good: it cannot be refused, and must not be
  /// lost. Under the lock.
  ///
  /// Jobs of the foreground, and of actors wherever they live, run one at a time on a thread that is
  /// started for them and counts as their queue. The others the caller hands to Swift's own pool.
  ///
  /// - Returns: Whether it was taken.
  func takeLate(_ task: QueuedTask, _ core: Core) -> Bool {
    guard task.lane == .foreground || task.isJobOfActor else { return false }
    core.accept(task)
    core.lateJobs.append(task)
    guard !core.lateThreadRuns else { return true }
    core.lateThreadRuns = true
    core.outbox.append {
      do throws(UVError) {
        try OwnThread.start(named: self.configuration.label) { self.runLateJobs() }
      } catch {
        // No room for a thread: one of Swift's own has to do.
        Task.detached { self.runLateJobs() }
      }
    }
    return true
  }

  private func runLateJobs() {
    let core = lock()
    while !core.lateJobs.isEmpty {
      let task = core.lateJobs.removeFirst()
      core.begin(task)
      run(task, core)
      tellIfDue(core, isWorker: false)
    }
    core.lateThreadRuns = false
    unlock()
  }
}
