public import TaskDispatch
internal import TaskDispatchTesting

/// How the contract suite makes a dispatcher, and drives it.
///
/// A check submits work, asks the subject to let it run, and looks at the result. It never asks the subject to stop.
/// Two kinds of dispatcher fit:
///
/// - A dispatcher that runs nothing by itself, on the thread that drives it, such as ``RecordingDispatcher``. Bodies
///   run inside ``runUntilIdle(_:)``, ``runBackgroundUntilIdle(_:)``, ``pass(_:on:)`` and ``end(_:)``.
/// - A dispatcher with threads. Its subject has `.threads` in ``provides``, and ``start(_:)`` begins to run the loop on
///   a thread of its own. So the calling thread is free to hold the other threads at gates.
///
/// Every call is made on the thread that called ``DispatcherContract/Rule/check(_:)``, except where a requirement says
/// otherwise. ``spend(_:on:)`` is called inside a body.
public protocol ContractSubject: Sendable {
  associatedtype Dispatcher: DispatcherImplementation

  /// What the subject offers beyond the contract. Checks that need more are left out.
  var provides: DispatcherContract.Provisions { get }

  /// How long a check waits for threads to do what they must, before it reports a violation.
  ///
  /// Only a broken dispatcher takes that long. The default is 20 seconds.
  var patience: Duration { get }

  /// Makes a new dispatcher, whose loop does not run yet. Its pool must have threads for the width in `configuration`,
  /// which is at most 3.
  func makeDispatcher(_ configuration: ContractConfiguration) throws -> Dispatcher

  /// Starts to run the loop, on a thread of its own. Called once, before the first call of ``runUntilIdle(_:)``,
  /// ``pass(_:on:)`` or ``end(_:)``. Does nothing by default.
  func start(_ dispatcher: Dispatcher) throws

  /// Returns when nothing is left that could run now. Every accepted submission, jobs of Swift Tasks included, has then
  /// ended, or it waits for a time, for a group, or in a suspended queue.
  func runUntilIdle(_ dispatcher: Dispatcher) throws

  /// Lets the background run until nothing of it can run, while the loop does not run. Called only before
  /// ``start(_:)``. Does nothing by default, since workers need no help.
  func runBackgroundUntilIdle(_ dispatcher: Dispatcher) throws

  /// Lets at least `duration` pass on the dispatcher's clock, runs what comes due, and waits until no more can run. By
  /// default it waits for a timer of the dispatcher.
  func pass(_ duration: Duration, on dispatcher: Dispatcher) throws

  /// Lets at least `duration` pass inside a body: nothing else runs on the body's thread. By default it watches the
  /// dispatcher's clock.
  func spend(_ duration: Duration, on dispatcher: Dispatcher)

  /// Drives a dispatcher that is shutting down until its report is there.
  func end(_ dispatcher: Dispatcher) throws

  /// Ends the dispatcher, whatever its state: all that still waits must be released. A subject may throw if it finds
  /// something left over. The checks leave nothing that could still run.
  func finish(_ dispatcher: Dispatcher) throws

  /// Runs `work` on the dispatcher's pool, as another user of the pool would that does not know the dispatcher. Called
  /// only if ``provides`` contains `.sharedPool`.
  func usePool(of dispatcher: Dispatcher, _ work: @escaping @Sendable () -> Void)

  /// Delivers `signal`, for which a handler is registered. Any thread, also inside a body. This and the three
  /// requirements below are called only if ``provides`` contains `.events`.
  func raise(_ signal: Signal, to dispatcher: Dispatcher) throws

  /// Returns a descriptor that is open and not readable, for as long as `dispatcher` lives.
  func openDescriptor(for dispatcher: Dispatcher) throws -> CInt

  /// Makes such a descriptor readable. Any thread, also inside a body.
  func makeReadable(_ descriptor: CInt, for dispatcher: Dispatcher) throws

  /// Makes it not readable any more. Any thread, also inside a body. Does nothing by default, which fits a dispatcher
  /// that reports readiness once and not again and again.
  func makeUnreadable(_ descriptor: CInt, for dispatcher: Dispatcher) throws
}

/// The dispatcher that a check needs.
public struct ContractConfiguration: Sendable {
  /// The most background bodies that run at a time. At most 3 in this suite.
  public var width: Int
  public var overflow: Overflow
  /// The aging step of rule 7. Far longer than a check takes, unless the check is about aging.
  public var agingStep: Duration
  /// Must receive every event.
  public var observer: (any TaskObserver)?

  public init(
    width: Int = 3, overflow: Overflow = .unbounded, agingStep: Duration = .seconds(3600),
    observer: (any TaskObserver)? = nil
  ) {
    self.width = width
    self.overflow = overflow
    self.agingStep = agingStep
    self.observer = observer
  }
}

extension ContractSubject {
  public var patience: Duration { .seconds(20) }

  /// Whether everything runs on the thread that drives the subject.
  public var isSingleThreaded: Bool { !provides.contains(.threads) }

  public func start(_ dispatcher: Dispatcher) throws {}

  public func runBackgroundUntilIdle(_ dispatcher: Dispatcher) throws {}

  public func pass(_ duration: Duration, on dispatcher: Dispatcher) throws {
    let alarm = Latch()
    dispatcher.foreground.after(duration) { alarm.open() }
    guard alarm.wait(patience) else { throw TimerNeverRan(delay: duration) }
    try runUntilIdle(dispatcher)
  }

  public func spend(_ duration: Duration, on dispatcher: Dispatcher) {
    let end = dispatcher.now.advanced(by: duration)
    while dispatcher.now < end {
      _ = Latch().wait(dispatcher.now.duration(to: end))
    }
  }

  public func usePool(of dispatcher: Dispatcher, _ work: @escaping @Sendable () -> Void) {
    refuse("\(type(of: self)) says that its pool is shared, and does not say how to use it")
  }

  public func raise(_ signal: Signal, to dispatcher: Dispatcher) throws { refuseEvents() }

  public func openDescriptor(for dispatcher: Dispatcher) throws -> CInt { refuseEvents() }

  public func makeReadable(_ descriptor: CInt, for dispatcher: Dispatcher) throws {
    refuseEvents()
  }

  public func makeUnreadable(_ descriptor: CInt, for dispatcher: Dispatcher) throws {}

  private func refuseEvents() -> Never {
    refuse("\(type(of: self)) says that there are events, and does not say how to make one")
  }
}

/// Thrown on threads if the timer by which a check lets time pass does not run.
struct TimerNeverRan: Error, CustomStringConvertible {
  let delay: Duration
  var description: String { "a foreground timer of \(delay.exactText) never ran" }
}
