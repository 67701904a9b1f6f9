public import TaskDispatch

/// How the contract suite makes a dispatcher, and drives it.
///
/// A subject is told to let things happen, and never when to stop them: a check submits, drives, and
/// looks. Two kinds of dispatcher fit:
///
/// - One that runs nothing by itself, on the thread that drives it, such as ``RecordingDispatcher``.
///   Bodies run inside ``settle(_:)``, ``settleBackground(_:)``, ``pass(_:on:)`` and ``end(_:)``.
/// - One with threads. It says `.threads` in ``provides``, and ``start(_:)`` begins to run its loop
///   on a thread of its own, so that the calling thread is free to hold the others at gates.
///
/// Every call is made on the thread that called ``DispatcherContract/Rule/check(_:)``, but for
/// ``spend(_:on:)``, which is made inside a body.
public protocol ContractSubject: Sendable {
  associatedtype Dispatcher: TaskDispatcher

  /// What there is beyond the contract. Checks that need more are left out.
  var provides: DispatcherContract.Provisions { get }

  /// How long a check waits on threads for what must happen, before it says that it did not. Only a
  /// broken dispatcher takes that long. 20 seconds unless the subject says otherwise.
  var patience: Duration { get }

  /// A new dispatcher, whose loop does not run yet. Its pool must have threads for the width asked
  /// for, which is at most 3.
  func makeDispatcher(_ configuration: ContractConfiguration) throws -> Dispatcher

  /// Lets the loop run from now on, on a thread of its own. Called once, before the first call of
  /// ``settle(_:)``, ``pass(_:on:)`` or ``end(_:)``. Does nothing unless the subject says what.
  func start(_ dispatcher: Dispatcher) throws

  /// Returns when nothing is left that could run now: every accepted submission, jobs of Swift Tasks
  /// included, has ended, or waits for a time, for a group, or in a suspended queue.
  func settle(_ dispatcher: Dispatcher) throws

  /// Lets the background go on until nothing of it can run, while the loop does not run. Called only
  /// before ``start(_:)``. Workers need no help, so it does nothing unless the subject says what.
  func settleBackground(_ dispatcher: Dispatcher) throws

  /// Lets at least `duration` pass on the dispatcher's clock, runs what comes due on the way, and
  /// settles. Waits for a timer of the dispatcher unless the subject says otherwise.
  func pass(_ duration: Duration, on dispatcher: Dispatcher) throws

  /// Lets at least `duration` pass inside a body that takes that long: nothing else runs on the
  /// body's thread. Watches the dispatcher's clock unless the subject says otherwise.
  func spend(_ duration: Duration, on dispatcher: Dispatcher)

  /// Drives a dispatcher that was told to shut down until its report is there.
  func end(_ dispatcher: Dispatcher) throws

  /// Ends the dispatcher, however far it is: what still waits must be let go of. A subject may throw
  /// if it finds that something was left over; the checks leave nothing that could still run.
  func finish(_ dispatcher: Dispatcher) throws

  /// Runs `work` on the dispatcher's pool as somebody who knows nothing of the dispatcher. Called
  /// only if ``provides`` says `.sharedPool`.
  func usePool(of dispatcher: Dispatcher, _ work: @escaping @Sendable () -> Void)

  /// Delivers `signal`, which somebody waits for. Any thread, also inside a body. Called only if
  /// ``provides`` says `.events`, as the three below.
  func raise(_ signal: Signal, to dispatcher: Dispatcher) throws

  /// A descriptor that is open and not readable, for as long as `dispatcher` lives.
  func openDescriptor(for dispatcher: Dispatcher) throws -> CInt

  /// Makes one of those readable. Any thread, also inside a body.
  func makeReadable(_ descriptor: CInt, for dispatcher: Dispatcher) throws

  /// Makes it not readable any more. Any thread, also inside a body. Does nothing unless the subject
  /// says what: where a descriptor is not told of by itself again and again.
  func makeUnreadable(_ descriptor: CInt, for dispatcher: Dispatcher) throws
}

/// What a check wants of the dispatcher that it is given.
public struct ContractConfiguration: Sendable {
  /// How many background bodies run at a time. At most 3 in this suite.
  public var width: Int
  public var overflow: Overflow
  /// See rule 7. Far longer than a check takes, where nothing is to age.
  public var agingStep: Duration
  /// Must be told of every event.
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

  public func settleBackground(_ dispatcher: Dispatcher) throws {}

  public func pass(_ duration: Duration, on dispatcher: Dispatcher) throws {
    let alarm = Latch()
    dispatcher.foreground.after(duration) { alarm.open() }
    guard alarm.wait(patience) else { throw TimerNeverRan(delay: duration) }
    try settle(dispatcher)
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

/// What stops a check on threads, if the timer by which it lets time pass does not run.
struct TimerNeverRan: Error, CustomStringConvertible {
  let delay: Duration
  var description: String { "a foreground timer of \(delay.exactText) never ran" }
}
