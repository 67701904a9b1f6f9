internal import TaskDispatch

extension Engine {
  /// Takes a job of a Swift Task that cannot run in its queue any more. It cannot be refused, and must not be lost.
  /// Under the lock.
  ///
  /// Jobs of the foreground, and of actors on any queue, run on threads that are started for them. They run one at a
  /// time for each queue, and count as tasks of it. So such a job waits for a body of its queue that still runs, but
  /// for no job of another queue.
  ///
  /// - Returns: False for any other job: the caller hands it to Swift's own pool.
  func takeLate(_ task: QueuedTask, _ core: Core) -> Bool {
    guard task.lane == .foreground || task.isJobOfActor else { return false }
    core.accept(task)
    core.late.add(task)
    return true
  }

  /// Starts a thread for late jobs, unless one of these threads is free. Under the lock.
  func startLateThread(_ core: Core) {
    guard core.late.freeThreads == 0 else { return }
    core.late.addThread()
    let dispatcher = dispatcher
    core.callbacks.appendWake {
      do throws(UVError) {
        try OwnThread.start(named: dispatcher.engine.settings.label, runsBodies: true) {
          BrokenPipes.withHeldBack { dispatcher.engine.runLateJobs() }
        }
      } catch {
        // The system has no room for another thread, so a thread of Swift's pool runs the jobs.
        Task.detached { dispatcher.engine.runLateJobs() }
      }
    }
  }

  private func runLateJobs() {
    let core = lock()
    while !core.late.isEmpty {
      guard let task = core.takeLateJob() else {
        // Another free thread waits for the next job.
        if core.late.freeThreads > 1 { break }
        // The queue of each late job still runs a body, although the shutdown has abandoned that.
        wait { core.hasLateJobToRun || core.late.isEmpty }
        continue
      }
      core.late.beginJob()
      core.begin(task)
      if !core.late.isEmpty { startLateThread(core) }
      run(task, core)
      tellIfDue(core, isWorker: false, on: task.lane)
      core.late.endJob()
    }
    core.late.removeThread()
    unlock()
  }
}
