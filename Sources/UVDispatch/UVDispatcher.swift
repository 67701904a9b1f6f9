internal import Synchronization
public import TaskDispatch

/// The real dispatcher: the foreground is a libuv loop, the background is libuv's thread pool.
///
/// ```swift
/// let dispatcher = try UVDispatcher()
/// dispatcher.background {
///   let digest = sha256(of: path)
///   dispatcher.foreground { print(digest) }
/// }
/// let report = dispatcher.run()   // this thread is the foreground until the dispatcher is shut down
/// ```
///
/// It keeps the rules of ``TaskDispatch/TaskDispatcher``. Background work starts at once, before the loop runs and
/// while it is blocked. Foreground work and timers need the loop.
///
/// A dispatcher lives for as long as any of these holds:
///
/// - A queue, a handle or a running body of it exists.
/// - Background work of it can still start.
/// - A Task that prefers one of its queues is not over.
/// - Its loop runs. A dispatcher that was started therefore lives until it is shut down.
///
/// If the last reference goes without a shutdown, the dispatcher cancels the work that it still holds, and reports
/// nothing.
public final class UVDispatcher: DispatcherImplementation, @unchecked Sendable {
  let engine: Engine
  /// What a submission needs on the short way, without the lock.
  let doors: Doors
  let executors = LaneExecutors()
  /// The configuration that the dispatcher was made with. Any thread.
  public var configuration: Configuration {
    var configuration = engine.settings
    configuration.observer = engine.withCore { $0.observer }
    return configuration
  }
  /// How many threads libuv's pool has. All dispatchers of the process, and libuv itself, share them.
  public let effectivePoolThreads: Int
  /// The most background bodies that run at a time: what the configuration asks for, as far as the pool has threads.
  /// If the pool has two or more, one of them stays free for libuv's own work.
  ///
  /// Fewer run while other dispatchers of the process use the pool, or have used it and may again.
  public let effectiveBackgroundWidth: Int
  /// Its thread starts with the first code that wants to be told of stalls.
  var watchdog: Watchdog { engine.core.stalls.watchdog }

  /// Makes a dispatcher. The first one of a process also starts libuv's pool. The loop does not run yet. Any thread.
  ///
  /// Traps if the configuration makes no sense: a width, a limit or a budget below 1, or a time that must be positive
  /// and is not.
  ///
  /// - Throws: ``ConfigurationError`` if the environment makes no sense; ``UVError`` if the system has no
  ///   descriptors, memory or threads left. Nothing of the dispatcher is left behind then.
  public init(_ configuration: Configuration = Configuration()) throws {
    configuration.validate()
    let observer = configuration.observer
    var configuration = configuration
    configuration.observer = nil
    effectivePoolThreads = try ThreadPool.threads()
    let most = max(1, effectivePoolThreads - 1)
    effectiveBackgroundWidth = min(configuration.backgroundWidth ?? most, most)
    ForkGuard.prepare()
    engine = try Engine(
      configuration, observer: observer, width: effectiveBackgroundWidth, threads: most)
    doors = engine.doors
    engine.connect(to: self, poolThreads: effectivePoolThreads)
    engine.core.closing.set(settingOfSnapshots)
    if observer != nil { try startWatchdog() }
  }

  deinit {
    // In a forked child the remaining work is the parent's, and a lock may be held by a thread that the child does
    // not have.
    if ForkGuard.isForked { return }
    watchdog.end()
    engine.end()
  }

  // MARK: Queues

  public var foreground: TaskQueue { TaskQueue(dispatcher: self, lane: .foreground) }
  public var background: TaskQueue { TaskQueue(dispatcher: self, lane: .background) }

  public func makeQueue(_ options: QueueOptions) -> TaskQueue {
    let overflow = options.validOverflow(or: engine.settings.overflow)
    let view = UVView(
      label: options.label, width: options.width, overflow: overflow,
      workerWidth: effectiveBackgroundWidth,
      agingStep: engine.settings.agingStep.clampedNanoseconds, of: doors.name,
      recordedAs: doors.recorder?.add(options.label))
    engine.withCore { $0.add(view) }
    return TaskQueue(dispatcher: self, view: view, lane: .background)
  }

  func view(_ view: QueueView?) -> UVView? { engine.view(view) }

  // MARK: Time and numbers

  /// The monotonic time since the dispatcher was made. Any thread, without the lock.
  public var now: DispatcherInstant { engine.now }

  public var ledger: Ledger {
    engine.withCore { core in
      core.drainAll()
      return core.ledger
    }
  }
}
