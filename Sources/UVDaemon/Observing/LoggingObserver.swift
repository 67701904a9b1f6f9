#if Daemon
  public import Logging
  public import UVDispatch

  /// Logs what a person should look at: bodies that hold their thread for long, and submissions that are refused.
  /// Each message has the label, and the file and line that submitted the task.
  ///
  /// A body that holds its thread is logged after the stall threshold of the dispatcher, again each time that its
  /// time has become ten times as long, and once it ends. Other bodies that the same line of the source has
  /// submitted, and refusals, are logged at most once a second for each line, with the number that was left out: a
  /// queue that is full refuses thousands. Refusals because of a shutdown are not logged.
  ///
  /// What a shutdown leaves behind is in its ``ShutdownReport``, which ``Daemon`` logs.
  public final class LoggingObserver: TaskObserver {
    private let logger: Logger
    private let refusals = Locked(Throttle(interval: .seconds(1)))
    private let stalls: StallLog

    /// - Parameter logger: Gets warnings for stalls and refusals, and a notice when a stall ends.
    public init(_ logger: Logger) {
      self.logger = logger
      stalls = StallLog(logger)
    }

    public func observe(_ event: TaskEvent) {
      switch event.kind {
      case .stalled(let time): stalls.note(event.task, for: time, at: event.time)
      // A refusal because of a shutdown is expected, and comes from every part of the program.
      case .refused(let reason) where reason != .shutDown:
        guard let others = refusals.withLock({ $0.pass(event.task.site, at: event.time) }) else {
          return
        }
        logger.log(.warning, "\(event.task.name) was refused: \(reason)", others, event.task)
      case .finished(let outcome):
        stalls.noteEnd(
          of: event.task, at: event.time, isAbandoned: outcome == .abandoned)
      default: break
      }
    }
  }

  /// Calls several observers, one after the other.
  public struct TaskObservers: TaskObserver {
    let observers: [any TaskObserver]

    public init(_ observers: any TaskObserver...) { self.observers = observers }

    public func observe(_ event: TaskEvent) {
      for observer in observers { observer.observe(event) }
    }
  }
#endif
