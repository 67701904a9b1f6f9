import Foundation
import TaskDispatch
import TaskDispatchTesting

/// A third dispatcher: threads, one lock, one condition, and the shared policy. As simple as one can
/// be that keeps the contract; it shows that the contract suite fits more than the fake.
final class ThreadedDispatcher: TaskDispatcher, @unchecked Sendable {
  // `core` is touched under `monitor`; the rest does not change.
  let monitor = NSCondition()
  let core: ThreadedCore
  let configuration: ContractConfiguration
  private let origin = ContinuousClock.now

  init(_ configuration: ContractConfiguration) {
    self.configuration = configuration
    core = ThreadedCore(configuration)
    for _ in 0..<configuration.width { startThread { $0.work() } }
  }

  // MARK: Queues

  var foreground: TaskQueue { TaskQueue(dispatcher: self, lane: .foreground) }
  var background: TaskQueue { TaskQueue(dispatcher: self, lane: .background) }

  func makeQueue(label: String, width: Int) -> TaskQueue {
    let view = ThreadedView(label: label, width: width, configuration: configuration)
    withCore { $0.views.append(view) }
    return TaskQueue(dispatcher: self, view: view, lane: .background)
  }

  var now: DispatcherInstant {
    DispatcherInstant.start.advanced(by: origin.duration(to: .now))
  }

  var ledger: Ledger { withCore { $0.ledger } }

  // MARK: The lock

  /// Runs `body` under the monitor, wakes everybody, and then tells others what it left to be told.
  func withCore<Result, Failure: Error>(
    _ body: (ThreadedCore) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    monitor.lock()
    core.now = now
    defer { unlock() }
    return try body(core)
  }

  /// Frees the monitor, and does what has to be done without it.
  func unlock() {
    let outbox = core.outbox
    core.outbox = []
    if !outbox.isEmpty { core.deliveries += 1 }
    monitor.broadcast()
    monitor.unlock()
    guard !outbox.isEmpty else { return }
    for call in outbox { call() }
    monitor.lock()
    core.deliveries -= 1
    monitor.broadcast()
    monitor.unlock()
  }

  /// Waits under the monitor until something has changed, or until `time`.
  func park(until time: DispatcherInstant? = nil) {
    guard core.outbox.isEmpty else {
      unlock()
      monitor.lock()
      core.now = now
      return
    }
    if let time, time < .distantFuture {
      let seconds = Double(max(0, now.duration(to: time).clampedNanoseconds)) / 1e9
      _ = monitor.wait(until: Date(timeIntervalSinceNow: seconds))
    } else {
      monitor.wait()
    }
    core.now = now
  }

  // MARK: Threads

  func startThread(_ body: @escaping @Sendable (ThreadedDispatcher) -> Void) {
    withCore { $0.threads += 1 }
    Thread.detachNewThread {
      body(self)
      self.withCore { $0.threads -= 1 }
    }
  }

  /// A worker: takes what the policy says is next, until the dispatcher is finished.
  private func work() {
    monitor.lock()
    core.now = now
    while !core.isFinished {
      if let task = core.startOnWorker() {
        unlock()
        perform(task, hidesOuter: false)
        monitor.lock()
        core.now = now
      } else {
        park()
      }
    }
    unlock()
  }

  /// The loop: timers that are due first, then what was posted.
  func loop() {
    monitor.lock()
    core.now = now
    while !core.isFinished {
      core.settleTimers()
      core.advanceShutdown()
      monitor.broadcast()
      if let task = core.takeForeground() {
        unlock()
        perform(task, hidesOuter: false)
        monitor.lock()
        core.now = now
      } else {
        park(until: core.nextDeadline)
      }
    }
    unlock()
  }

  /// Runs the body of a task that has begun, and ends it.
  func perform(_ task: ThreadedTask, hidesOuter: Bool) {
    let outcome = task.perform(by: self, hidesOuter: hidesOuter)
    let work = withCore { core in
      core.finish(task, outcome)
      return task.release()
    }
    // Not under the monitor: letting go of a body may run anybody's `deinit`.
    withExtendedLifetime(work) {}
  }

  // MARK: Where am I

  /// The task of this dispatcher that runs innermost on this thread.
  var currentTask: ThreadedTask? {
    TaskFrame.stack.lazy.compactMap { $0 as? ThreadedTask }
      .first { $0.queue.dispatcher == ObjectIdentifier(self) }
  }

  // MARK: Swift Tasks

  func taskExecutor(for queue: TaskQueue) -> any TaskExecutor {
    withCore { core in
      let executor = core.taskExecutors[queue.identity] ?? ThreadedTaskExecutor(queue, self)
      core.taskExecutors[queue.identity] = executor
      return executor
    }
  }

  func serialExecutor(for queue: TaskQueue) -> any SerialExecutor {
    withCore { core in
      let executor = core.serialExecutors[queue.identity] ?? ThreadedSerialExecutor(queue, self)
      core.serialExecutors[queue.identity] = executor
      return executor
    }
  }

  func enqueue(_ job: UnownedJob, by executor: any ThreadedExecutor, on queue: TaskQueue) {
    let band = PriorityBand(TaskPriority(rawValue: job.priority.rawValue))
    let parent = currentTask
    withCore { core in
      let task = core.makeTask(
        .job(job, executor), on: queue, label: nil,
        site: CallSite(fileID: "a Swift Task", line: 0, band: band), parent: parent)
      core.accept(task)
      core.enqueue(task)
    }
  }
}
