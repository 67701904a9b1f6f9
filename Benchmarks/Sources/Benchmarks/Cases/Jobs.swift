import Measuring
import UVDispatch

/// Swift Tasks that prefer the background.
private final class TasksOnWorkers: Subject {
  private let executor: any TaskExecutor

  init(_ dispatcher: UVDispatcher) { executor = dispatcher.background.executor }

  func submit(_ counter: Counter, _ rounds: Int) {
    Task.detached(executorPreference: executor) { work(rounds, counter) }
  }

  func run(_ body: @escaping @Sendable () -> Void) {
    Task.detached(executorPreference: executor) { body() }
  }
}

extension Case {
  /// Swift Tasks on workers, compared with Tasks on Swift's own pool.
  static let jobs = Case(
    "executor jobs", rows: [Row("Task on background.executor, win 1024")]
  ) { effort in
    let ours = try UVBackground(width: 3)
    return Throughput().contestants(
      [
        (Contestant.ours, TasksOnWorkers(ours.dispatcher)), ("Task.detached", DetachedTasks()),
      ], effort)
  }
}
