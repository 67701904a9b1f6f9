internal import Synchronization

/// A submission that asked for more than to run: one object that is its record, its handle and its
/// place in the queue.
///
/// Users meet it as a ``TaskHandle`` or a ``TimerHandle``. Dispatchers get it in
/// ``TaskDispatcher/submit(_:)``, and take it through its life:
///
/// ```
///            ┌── begin() ──▶ running ── run(), finish(outcome) ──▶ finished
/// waiting ───┤
///            └── finish(.cancelled / .expired / .refused) ───────▶ finished
/// ```
///
/// Exactly one call to ``begin()`` or ``finish(_:)`` can win an item that waits, so a cancellation
/// that races a start is decided here, once.
public class WorkItem: @unchecked Sendable {
  // The body and the outcome are touched only by whoever won the item's state, the outcome read by
  // all once that says so; the observers under the item's lock; the dispatcher's own fields under the
  // dispatcher's lock. All else is immutable or atomic. So no two of them are ever in at a time, and
  // no check at run time has to see to that.

  /// What kind of submission it is: decides what exempts it from limits, and how it begins.
  public enum Kind: UInt8, Sendable {
    case task
    /// Waits for a time first.
    case timer
    /// Waits for one time after another; each run is an item of kind `.timer`.
    case repeating
    /// The answer of a background task to the foreground. Exempt from limits.
    case reply
    /// A job of a Swift Task. Exempt from limits; cannot be refused.
    case job
    /// Somebody sleeps on the dispatcher's clock. Exempt from limits; has nothing to run.
    case sleep
    /// Waits until a group is empty. Exempt from limits.
    case notification
    /// A signal or a descriptor. Exempt from limits.
    case event
  }

  private enum Phase {
    static let waiting: UInt8 = 0
    static let running: UInt8 = 1
    /// Its outcome is being written.
    static let ending: UInt8 = 2
    static let finished: UInt8 = 3
    static let all: UInt8 = 3

    // Bits beside the phase, which stay.
    /// Whoever ends it tells the observers.
    static let isObserved: UInt8 = 4
    static let failureIsSeen: UInt8 = 8
    /// A monitor is told of its end.
    static let isAwaited: UInt8 = 16
    static let isSubmitted: UInt8 = 32
    static let isUnwanted: UInt8 = 64
  }

  // In an order that leaves few gaps, and what each of them is asked for first: where a hundred thousand
  // wait, what it costs to submit and to cancel them is the memory that they lie in.
  @safe @exclusivity(unchecked) @usableFromInline final var heldPlace = Place()
  private let state = Atomic<UInt8>(Phase.waiting)
  private let cancellationRequested = Atomic(false)
  public let atShutdown: ShutdownBehavior
  public let kind: Kind
  public let lane: Lane
  public let isBarrier: Bool
  @safe @exclusivity(unchecked) private var outcomeIfFinished: Outcome?
  @safe @exclusivity(unchecked) @usableFromInline final var queuedAs: TaskFrame?
  public let view: QueueView?
  /// Where it was submitted, and the band that it waits in.
  public let site: CallSite
  public let group: WorkGroup?
  @safe @exclusivity(unchecked) private var body: (() throws -> Void)?
  public let label: String?
  // In nanoseconds, where it has one.
  @usableFromInline let dueIfAny: Int64
  @usableFromInline let timeToLiveIfAny: Int64
  @usableFromInline static var none: Int64 { .min }
  /// What only few timers have.
  private let terms: Terms?
  @safe @exclusivity(unchecked) private var observers: [@Sendable (Outcome) -> Void] = []

  private final class Terms: Sendable {
    let tolerance: Int64
    let repetition: Repetition?

    init(tolerance: Int64, repetition: Repetition?) {
      self.tolerance = tolerance
      self.repetition = repetition
    }

    /// Nil if there is nothing to say.
    static func of(_ tolerance: Duration, _ repetition: Repetition?) -> Terms? {
      tolerance.isPositive || repetition != nil
        ? Terms(tolerance: max(0, tolerance.clampedNanoseconds), repetition: repetition) : nil
    }
  }

  /// Not before this time; nil for now.
  @inlinable public final var due: DispatcherInstant? {
    dueIfAny == Self.none ? nil : DispatcherInstant(nanoseconds: dueIfAny)
  }
  /// How much later than `due` it may start if that saves a wake-up. Not negative, in whole nanoseconds.
  public var tolerance: Duration { .nanoseconds(toleranceInNanoseconds) }

  package var toleranceInNanoseconds: Int64 { terms?.tolerance ?? 0 }
  /// For a repeating timer.
  public var repetition: Repetition? { terms?.repetition }
  /// How long it may wait before it expires, from its submission, or from its time for a timer. In
  /// whole nanoseconds.
  @inlinable public final var timeToLive: Duration? {
    timeToLiveIfAny == Self.none ? nil : .nanoseconds(timeToLiveIfAny)
  }

  /// For a dispatcher, under its own lock: where the item stands in its queues.
  @inlinable public final var place: Place {
    @inline(__always) get { heldPlace }
    @inline(__always) _modify { yield &heldPlace }
  }

  /// It wants no more than to run when its turn has come: no time counts, and nothing but itself.
  @inlinable package final var isSimple: Bool {
    @inline(__always) get {
      (kind == .task || kind == .reply) && !isBarrier && timeToLiveIfAny == Self.none
    }
  }

  /// For a dispatcher, under its own lock: the frame that it made for the item, until that has ended.
  @inlinable package final var queued: TaskFrame? {
    get { queuedAs }
    set { queuedAs = newValue }
  }

  /// Whether ``queued`` is there: asked without counting it.
  @inlinable package final var isQueuedAsTask: Bool { @inline(__always) get { queuedAs != nil } }

  /// Where an item stands in a dispatcher's queues. Belongs to that dispatcher's lock.
  public struct Place: Sendable {
    /// Its position in the queue that `stage` says.
    public var position: Int
    /// Names it in this dispatcher.
    public var id: TaskID
    /// When it was submitted, or came due.
    public var since: DispatcherInstant
    /// The number of the task whose body submitted it; 0 if none did.
    @usableFromInline package var parent: UInt64
    public var stage: Stage

    /// Names it among the timers, while it stands there. In the place of a position.
    @inlinable package var ticket: DeadlineTicket {
      get { DeadlineTicket(bits: position) }
      set { position = newValue.bits }
    }

    public enum Stage: Sendable {
      case nowhere
      /// In its queue or on the way there, and nobody has had to know where.
      case posted
      case timers, due, queue, held
    }

    @inlinable public init() {
      position = 0
      id = TaskID(0)
      since = DispatcherInstant(nanoseconds: 0)
      parent = 0
      stage = .nowhere
    }
  }

  /// For dispatchers, and for those that build on them.
  ///
  /// - Parameters:
  ///   - body: Runs at most once, on the queue. Released when the outcome is known.
  public convenience init(
    kind: Kind, queue: borrowing TaskQueue, label: String?, site: CallSite,
    due: DispatcherInstant? = nil, tolerance: Duration = .zero, repetition: Repetition? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain, group: WorkGroup? = nil,
    body: consuming sending @escaping () throws -> Void
  ) {
    self.init(
      kind: kind, queue: queue, label: label, site: site, due: due, tolerance: tolerance,
      repetition: repetition, timeToLive: timeToLive, atShutdown: atShutdown, group: group)
    self.body = body
  }

  /// Without a body: that is a subclass's.
  @usableFromInline init(
    kind: Kind, queue: borrowing TaskQueue, label: String?, site: CallSite,
    due: DispatcherInstant? = nil, tolerance: Duration = .zero, repetition: Repetition? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain, group: WorkGroup? = nil
  ) {
    self.kind = kind
    lane = queue.lane
    view = queue.view
    isBarrier = queue.isBarrier && queue.lane == .background
    self.label = label
    self.site = site
    dueIfAny = due?.nanoseconds ?? Self.none
    terms = .of(tolerance, repetition)
    timeToLiveIfAny = timeToLive.map { max(0, $0.clampedNanoseconds) } ?? Self.none
    self.atShutdown = atShutdown
    self.group = group
    group?.enter(for: queue.dispatcher)
  }

  /// One run of a repeating timer that has not ended. For dispatchers.
  public init(runOf timer: WorkItem) {
    guard timer.repetition != nil, let body = timer.body else {
      refuse("\(timer.name) does not repeat, or not any more")
    }
    kind = .timer
    lane = timer.lane
    view = timer.view
    isBarrier = timer.isBarrier
    label = timer.label
    site = timer.site
    dueIfAny = Self.none
    terms = nil
    timeToLiveIfAny = Self.none
    atShutdown = timer.atShutdown
    group = nil
    self.body = body
  }

  // MARK: For dispatchers

  /// Whether limits count it. Jobs, due timers and replies are exempt: nobody could act on a no.
  public var countsAgainstLimits: Bool { kind == .task }

  /// Wins an item that waits, to run it. False if it was finished first: do not run it.
  public func begin() -> Bool { goOn(from: Phase.waiting, to: Phase.running) }

  /// Takes the item from one phase to another. False if it was not in the first: then nothing has
  /// changed.
  private func goOn(from old: UInt8, to new: UInt8) -> Bool {
    var known = old
    while true {
      let (isDone, found) = state.compareExchange(
        expected: known, desired: known & ~Phase.all | new, ordering: .acquiringAndReleasing)
      if isDone { return true }
      guard found & Phase.all == old else { return false }
      known = found
    }
  }

  private var phase: UInt8 { state.load(ordering: .acquiring) & Phase.all }

  /// Runs the body, on this thread. Only after ``begin()``, once.
  ///
  /// - Returns: `.completed`, or `.failed` with what the body threw. Hand it to ``finish(_:)``.
  public func run() -> Outcome {
    do {
      try callBody()
      return .completed
    } catch {
      return .failed(error)
    }
  }

  /// Calls the body, and lets go of it.
  func callBody() throws {
    guard let body = self.body.take() else { refuseToRunTwice() }
    try body()
  }

  func dropBody() { body = nil }

  @usableFromInline final func refuseToRunTwice() -> Never { refuse("\(name) was run twice") }

  /// Ends the item: releases the body, leaves the group, and tells everybody who waits.
  ///
  /// Call it without any lock: those who are told run here. From `waiting` it may be called by
  /// anybody who wants to cancel, expire or refuse; from `running` only by whoever began it.
  ///
  /// - Returns: Whether this call ended it. False if it had begun or ended before.
  @discardableResult
  public func finish(_ outcome: Outcome) -> Bool {
    let expected: UInt8
    switch outcome {
    case .completed, .failed, .abandoned: expected = Phase.running
    case .cancelled, .expired, .refused: expected = Phase.waiting
    }
    guard goOn(from: expected, to: Phase.ending) else {
      require(
        expected == Phase.waiting, "\(name) was given a second outcome: \(outcome)")
      return false
    }
    // A body that was abandoned still runs, or is about to: it is its thread's.
    if outcome != .abandoned { dropBody() }
    outcomeIfFinished = outcome
    let before = state.bitwiseOr(Phase.finished, ordering: .acquiringAndReleasing).oldValue
    if before & Phase.isObserved != 0 { tellObservers(outcome) }
    group?.leaveAsMember()
    return true
  }

  private func tellObservers(_ outcome: Outcome) {
    let observers = ItemLock.withLock(of: self) {
      let all = self.observers
      self.observers = []
      return all
    }
    for observer in observers { observer(outcome) }
  }

  /// Lets go of the body of an item that has begun and was abandoned, and that nobody will run.
  package func releaseBody() { dropBody() }

  /// Sets the flag that ``CurrentTask/isCancelled`` reads.
  public func requestCancellation() {
    cancellationRequested.store(true, ordering: .releasing)
  }

  /// Whether somebody asked the body to stop.
  public var isCancellationRequested: Bool { cancellationRequested.load(ordering: .acquiring) }

  /// Whether the body has begun and not yet ended.
  public var isRunning: Bool { phase == Phase.running }

  /// How it ended, or nil if it has not.
  public var outcome: Outcome? { phase == Phase.finished ? outcomeIfFinished : nil }

  /// Calls `observer` once with the outcome: now, if it is known, else when it is, on the thread
  /// that ends the item.
  public func whenFinished(_ observer: @escaping @Sendable (Outcome) -> Void) {
    let known = ItemLock.withLock(of: self) { () -> Outcome? in
      // Whoever ends it after this sees the bit, and waits here for the observer.
      let before = state.bitwiseOr(Phase.isObserved, ordering: .acquiringAndReleasing).oldValue
      if before & Phase.all == Phase.finished { return outcomeIfFinished }
      observers.append(observer)
      return nil
    }
    if let known { observer(known) }
  }

  /// Lets those who wait under `monitor` look again when the item has ended, which may be now. Without
  /// that monitor's lock. Called again it does nothing: it is always its dispatcher's.
  package func whenFinished(tell monitor: Monitor) {
    let before = state.bitwiseOr(Phase.isAwaited, ordering: .relaxed).oldValue
    if before & Phase.isAwaited == 0 { whenFinished { _ in monitor.tell() } }
  }

  /// Says that somebody was handed the failure of this item, so that nobody else need report it.
  package func noteFailureSeen() { state.bitwiseOr(Phase.failureIsSeen, ordering: .relaxed) }

  /// The submission has returned, which somebody may have wanted to cancel by ``noteUnwanted()``.
  ///
  /// - Returns: Whether somebody did, and leaves it to the caller.
  package func noteSubmitted() -> Bool {
    let before = state.bitwiseOr(Phase.isSubmitted, ordering: .acquiringAndReleasing).oldValue
    return before & Phase.isUnwanted != 0
  }

  /// Whoever submits it has to cancel it after that, unless the submission has returned.
  ///
  /// - Returns: Whether it has, and it is left to the caller.
  package func noteUnwanted() -> Bool {
    let before = state.bitwiseOr(Phase.isUnwanted, ordering: .acquiringAndReleasing).oldValue
    return before & Phase.isSubmitted != 0
  }

  package var failureIsSeen: Bool { state.load(ordering: .relaxed) & Phase.failureIsSeen != 0 }

  /// What messages call it: its label, else its file and line.
  public var name: String { label.map { "\"\($0)\"" } ?? "\(site)" }
}
