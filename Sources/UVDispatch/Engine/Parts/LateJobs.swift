internal import TaskDispatch

/// Jobs of Swift Tasks that came when their queue was over, and the threads that run them. Of each queue, one job runs
/// at a time. A value under the dispatcher's lock.
struct LateJobs {
  private(set) var waiting: [QueuedTask] = []
  /// Threads that were started for late jobs and run none now.
  private(set) var freeThreads = 0
  #if DEBUG
    private(set) var startedThreads = 0
  #endif

  var isEmpty: Bool { waiting.isEmpty }

  mutating func add(_ job: QueuedTask) { waiting.append(job) }

  /// Takes out the first job that may run; nil if there is none.
  mutating func takeFirst(where mayRun: (QueuedTask) -> Bool) -> QueuedTask? {
    guard let index = waiting.firstIndex(where: mayRun) else { return nil }
    return waiting.remove(at: index)
  }

  func contains(where mayRun: (QueuedTask) -> Bool) -> Bool { waiting.contains(where: mayRun) }

  mutating func takeAll() -> [QueuedTask] {
    defer { waiting = [] }
    return waiting
  }

  /// A thread is about to be started.
  mutating func addThread() {
    freeThreads += 1
    #if DEBUG
      startedThreads += 1
    #endif
  }

  mutating func removeThread() { freeThreads -= 1 }

  mutating func beginJob() { freeThreads -= 1 }

  mutating func endJob() { freeThreads += 1 }
}
