internal import TaskDispatch

extension UVDispatcher {
  /// Takes a job that cannot run in its queue any more: it cannot be refused, and must not be lost. Under
  /// the lock.
  ///
  /// Jobs of the foreground, and of actors wherever they live, run on threads that are started for them, one at a
  /// time of each queue, and count as that. So they wait for a body of their queue that still runs, and for no job of
  /// another one. The calling code hands all others to Swift's own pool.
  ///
  /// - Returns: Whether it was taken.
  func takeLate(_ task: QueuedTask, _ core: Core) -> Bool {
    guard task.lane == .foreground || task.isJobOfActor else { return false }
    core.accept(task)
    core.lateJobs.append(task)
    return true
  }

  /// Starts a thread for late jobs, unless there is one that is in none.
  func startLateThread(_ core: Core) {
    guard core.freeLateThreads == 0 else { return }
    core.freeLateThreads += 1
    #if DEBUG
      core.startedLateThreads += 1
    #endif
    core.outbox.appendWake {
      do throws(UVError) {
        try OwnThread.start(named: self.settings.label, runsBodies: true) {
          BrokenPipes.withHeldBack { self.runLateJobs() }
        }
      } catch {
        // No room for a thread: one of Swift's own has to do.
        Task.detached { self.runLateJobs() }
      }
    }
  }

  private func runLateJobs() {
    let core = lock()
    while !core.lateJobs.isEmpty {
      guard let task = core.takeLateJob() else {
        // Another thread does that.
        if core.freeLateThreads > 1 { break }
        // A body of each queue that has one runs, though the shutdown has given that up.
        wait { core.hasLateJobToRun || core.lateJobs.isEmpty }
        continue
      }
      core.freeLateThreads -= 1
      core.begin(task)
      if !core.lateJobs.isEmpty { startLateThread(core) }
      run(task, core)
      tellIfDue(core, isWorker: false)
      core.freeLateThreads += 1
    }
    core.freeLateThreads -= 1
    unlock()
  }
}
