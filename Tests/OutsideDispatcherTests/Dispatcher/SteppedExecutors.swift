import TaskDispatch

/// An executor whose jobs are tasks of a ``SteppedDispatcher``. The runtime tells executors of Tasks and of actors
/// apart, so there is a class for each.
protocol SteppedExecutor: AnyObject, Sendable {
  func run(_ job: UnownedJob)
}

/// Runs the Tasks that prefer a queue.
final class SteppedTaskExecutor: TaskExecutor, SteppedExecutor {
  private weak let dispatcher: SteppedDispatcher?
  private let lane: Lane
  private let view: SteppedView?

  init(_ dispatcher: SteppedDispatcher, _ lane: Lane, _ view: SteppedView?) {
    self.dispatcher = dispatcher
    self.lane = lane
    self.view = view
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A job cannot be refused, and must not be lost.
    guard let dispatcher else { return globalConcurrentExecutor.enqueue(job) }
    dispatcher.accept(job, self, on: lane, view)
  }

  func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
}

/// Runs the actors that live on a queue.
final class SteppedActorExecutor: SerialExecutor, SteppedExecutor {
  private weak let dispatcher: SteppedDispatcher?
  private let lane: Lane
  private weak let view: SteppedView?

  init(_ dispatcher: SteppedDispatcher, _ lane: Lane, _ view: SteppedView?) {
    self.dispatcher = dispatcher
    self.lane = lane
    self.view = view
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let dispatcher else { return globalConcurrentExecutor.enqueue(job) }
    dispatcher.accept(job, self, on: lane, view)
  }

  func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }

  func isIsolatingCurrentContext() -> Bool? {
    guard let dispatcher else { return false }
    return TaskQueue(dispatcher: dispatcher, view: view, lane: lane).isCurrent
  }

  func checkIsolated() {
    precondition(isIsolatingCurrentContext() == true, "this code does not run on its actor's queue")
  }
}

extension SteppedDispatcher {
  /// The executors of the foreground and of the background. Those of a view are in the view.
  struct Executors {
    var ofTasks: [Lane: SteppedTaskExecutor] = [:]
    var ofActors: [Lane: SteppedActorExecutor] = [:]
  }

  func taskExecutor(for queue: TaskQueue) -> any TaskExecutor {
    guard let view = view(queue.view) else {
      return executors.withLock { executors in
        let executor = executors.ofTasks[queue.lane] ?? SteppedTaskExecutor(self, queue.lane, nil)
        executors.ofTasks[queue.lane] = executor
        return executor
      }
    }
    return view.executors.withLock { executors in
      let executor = executors.ofTasks ?? SteppedTaskExecutor(self, .background, view)
      executors.ofTasks = executor
      return executor
    }
  }

  func serialExecutor(for queue: TaskQueue) -> any SerialExecutor {
    guard let view = view(queue.view) else {
      return executors.withLock { executors in
        let executor = executors.ofActors[queue.lane] ?? SteppedActorExecutor(self, queue.lane, nil)
        executors.ofActors[queue.lane] = executor
        return executor
      }
    }
    return view.executors.withLock { executors in
      let executor = executors.ofActors ?? SteppedActorExecutor(self, .background, view)
      executors.ofActors = executor
      return executor
    }
  }
}
