#if Daemon
  public import Logging
  public import UVDispatch

  /// Logs what somebody should look at: bodies that hold their thread, submissions that are refused, and
  /// what a shutdown has abandoned; each with its label, and the file and line that submitted it.
  ///
  /// Of refusals, at most one a second for each line of the source, with the number of those between:
  /// a queue that is full refuses thousands. None because of a shutdown.
  public final class LoggingObserver: TaskObserver {
    private let logger: Logger
    private let refusals = Locked(Throttle(interval: .seconds(1)))

    public init(_ logger: Logger) { self.logger = logger }

    public func observe(_ event: TaskEvent) {
      switch event.kind {
      case .stalled(let time):
        log("\(event.task.name) has held its thread for \(time.shortText)", event)
      // That of a shutdown is as it should be, and comes from everywhere.
      case .refused(let reason) where reason != .shutDown:
        guard let others = refusals.withLock({ $0.pass(event.task.site, at: event.time) }) else {
          return
        }
        let more = others == 0 ? "" : "; \(others) more since the last of these"
        log("\(event.task.name) was refused: \(reason)\(more)", event)
      case .finished(.abandoned):
        log("\(event.task.name) was abandoned: it still runs after the shutdown", event)
      default: break
      }
    }

    private func log(_ text: String, _ event: TaskEvent) {
      logger.warning(
        "\(text)",
        metadata: [
          "task": "\(event.task.id)", "queue": "\(event.task.queue)", "site": "\(event.task.site)",
        ])
    }
  }

  /// Lets one message through for each line of the source in a stretch of time.
  struct Throttle: Sendable {
    private let interval: Duration
    /// How many lines it knows.
    var count: Int { known.count }
    private var known: [CallSite: (next: DispatcherInstant, heldBack: Int)] = [:]
    /// Lines of the source are few; what is not may not fill the memory.
    private static let mostKnown = 1024

    init(interval: Duration) { self.interval = interval }

    /// - Returns: How many were held back since the last that passed; nil if this one is.
    mutating func pass(_ site: CallSite, at time: DispatcherInstant) -> Int? {
      let entry = known[site]
      if let entry, time < entry.next {
        known[site]!.heldBack += 1
        return nil
      }
      if entry == nil, known.count >= Self.mostKnown { known = [:] }
      known[site] = (time.advanced(by: interval), 0)
      return entry?.heldBack ?? 0
    }
  }

  /// Tells several observers, one after the other.
  public struct TaskObservers: TaskObserver {
    private let observers: [any TaskObserver]

    public init(_ observers: any TaskObserver...) { self.observers = observers }

    public func observe(_ event: TaskEvent) {
      for observer in observers { observer.observe(event) }
    }
  }
#endif
