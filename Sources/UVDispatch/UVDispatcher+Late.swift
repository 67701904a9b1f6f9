internal import TaskDispatch

extension UVDispatcher {
  /// Takes a job that cannot run in its queue any more: it cannot be refused, and must not be lost. Under
  /// the lock.
  ///
  /// Jobs of the foreground, and of actors wherever they live, run one at a time on a thread that is
  /// started for them and counts as their queue. So they wait for a body of that queue that still runs.
  /// The calling code hands all others to Swift's own pool.
  ///
  /// - Returns: Whether it was taken.
  func takeLate(_ task: QueuedTask, _ core: Core) -> Bool {
    guard task.lane == .foreground || task.isJobOfActor else { return false }
    core.accept(task)
    core.lateJobs.append(task)
    guard !core.lateThreadRuns else { return true }
    core.lateThreadRuns = true
    core.outbox.appendWake {
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
      guard let task = core.takeLateJob() else {
        // A body of each queue that has one runs, though the shutdown has given that up.
        wait { core.hasLateJobToRun }
        continue
      }
      core.begin(task)
      run(task, core)
      tellIfDue(core, isWorker: false)
    }
    core.lateThreadRuns = false
    unlock()
  }
}
