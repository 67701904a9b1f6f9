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
  // The body and the ending are touched only by whoever won the item's state, and read by all once that
  // says so. The body of one that was abandoned is its thread's for good, and nobody asks that for what it
  // made; the body of a repeating timer, which never begins, is read under its dispatcher's lock. The
  // dispatcher's own fields are touched under that, and observers wait under the item's. All else is immutable
  // or atomic. So no two of them are ever in at a time, and no check at run time has to see to that.

  /// What kind of submission it is: decides what exempts it from limits, and how it begins.
  public enum Kind: UInt8, Sendable {
    case task
    /// Waits for a time first.
    case timer
    /// Waits for one time after another; each run is an item of its own, of kind `.timer`.
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
    /// A thread of its dispatcher is blocked until it ends.
    static let isAwaited: UInt8 = 16
    static let isSubmitted: UInt8 = 32
    static let isUnwanted: UInt8 = 64
    /// A Task awaits its outcome.
    static let hasAwaiters: UInt8 = 128
    static let isWatched = isObserved | hasAwaiters
  }

  // In an order that leaves no gaps, and what each of them is asked for first. With what its subclasses
  // add, an item is as large as `malloc` hands over from thread to thread without taking its lock: one
  // thread allocates it and another frees it, and where both need that lock, they wait for each other
  // longer than for all else.
  @safe @exclusivity(unchecked) @usableFromInline final var heldPlace = Place()
  private let state = Atomic<UInt8>(Phase.waiting)
  private let cancellationRequested = Atomic(false)
  public let atShutdown: ShutdownBehavior
  public let kind: Kind
  public let lane: Lane
  @usableFromInline final let marks: Marks
  @safe @exclusivity(unchecked) private var ending = Ending.unknown
  @safe @exclusivity(unchecked) @usableFromInline final var queuedAs: TaskFrame?
  @usableFromInline final let more: More
  /// Where it was submitted, and the band that it waits in.
  public let site: CallSite
  @safe @exclusivity(unchecked) @usableFromInline final var heldPlaceIsIn = DispatcherName.none

  /// What there is no byte for each of.
  @usableFromInline struct Marks: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8
    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable static var isBarrier: Marks { Marks(rawValue: 1) }
    static var hasTimeToLive: Marks { Marks(rawValue: 2) }
    /// To release the value that its body makes may run user code.
    @inlinable static var makesObject: Marks { Marks(rawValue: 4) }
    /// Those that matter before it has run.
    @inlinable static var beforeStart: Marks { Marks(rawValue: 3) }
  }

  /// An ``Outcome`` without its error, which stands where the body did.
  private enum Ending {
    case unknown, completed, failed, cancelled, expired, abandoned
    case refused(Refusal)

    init(_ outcome: Outcome) {
      self =
        switch outcome {
        case .completed: .completed
        case .failed: .failed
        case .cancelled: .cancelled
        case .expired: .expired
        case .abandoned: .abandoned
        case .refused(let refusal): .refused(refusal)
        }
    }
  }

  @inlinable public final var isBarrier: Bool {
    @inline(__always) get { marks.contains(.isBarrier) }
  }

  /// Whether it may expire.
  final var hasTimeToLive: Bool { marks.contains(.hasTimeToLive) }

  /// A name for reports, errors and tests.
  public var label: String? { extras?.label }

  /// Not before this time, in nanoseconds; nil for now.
  var dueInNanoseconds: Int64? { nil }

  /// The item that a user has the handle of: for a run of a repeating timer that timer.
  package var handled: WorkItem { self }

  /// The item that has to run next for this one to end: for a repeating timer its run, if it has one.
  package var next: WorkItem { self }

  /// For a dispatcher, under its own lock: where the item stands in its queues.
  @inlinable public final var place: Place {
    @inline(__always) get { heldPlace }
    @inline(__always) _modify { yield &heldPlace }
  }

  /// For a dispatcher, as its ``place``: in which dispatcher that is.
  @inlinable package final var placeIsIn: DispatcherName {
    @inline(__always) get { heldPlaceIsIn }
    @inline(__always) set { heldPlaceIsIn = newValue }
  }

  /// It wants no more than to run when its turn has come: no time counts, and nothing but itself.
  @inlinable package final var isSimple: Bool {
    @inline(__always) get {
      (kind == .task || kind == .reply) && marks.isDisjoint(with: .beforeStart)
    }
  }

  /// For a dispatcher, under its own lock: the frame that it made for the item, until that has ended.
  @inlinable package final var queued: TaskFrame? {
    get { queuedAs }
    set { queuedAs = newValue }
  }

  /// Whether ``queued`` is there: asked without counting it.
  @inlinable package final var isQueuedAsTask: Bool { @inline(__always) get { queuedAs != nil } }

  @usableFromInline init(_ origin: Origin, _ more: consuming More, makesObject: Bool = false) {
    kind = origin.kind
    lane = origin.lane
    site = origin.site
    atShutdown = origin.atShutdown
    marks = [
      origin.isBarrier ? .isBarrier : [], origin.hasTimeToLive ? .hasTimeToLive : [],
      makesObject ? .makesObject : [],
    ]
    self.more = more
  }

  deinit {
    // One that never ended, and whose observers still wait under its name, which is its address.
    let state = state.load(ordering: .relaxed)
    if state & Phase.isWatched != 0, state & Phase.all != Phase.finished {
      ItemLock.withLock(of: self) { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
    }
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
  func callBody() throws { abstract() }

  /// Keeps what the body has thrown. It has run, so there is no body to release.
  func keep(_ failure: any Error) { abstract() }

  /// Whether it has a body that has not run.
  var holdsUnrunBody: Bool { abstract() }

  /// Releases the body, which has not run and never will.
  func releaseUnrun() { abstract() }

  /// What the body threw.
  var failure: (any Error)? { abstract() }

  private func abstract() -> Never { refuse("an item of no class that has a body") }

  @usableFromInline final func refuseToRunTwice() -> Never { refuse("\(name) was run twice") }

  /// Ends the item: gives it its outcome, leaves the group, releases a body that has not run, and calls
  /// its observers and those of a group that this has emptied.
  ///
  /// Call it without any lock: observers run here. From `waiting` any code may call it that wants to
  /// cancel, expire or refuse the item; from `running` only the thread that began it.
  ///
  /// - Returns: Whether this call ended it. False if it had begun or ended before.
  @discardableResult
  public func finish(_ outcome: Outcome) -> Bool {
    guard let telling = setOutcome(outcome) else { return false }
    wakeThreads(telling)
    resume(outcome, telling)
    tell(outcome, telling)
    return true
  }

  /// The first half of ``finish(_:)``: gives the item its outcome, and leaves the group. Runs and releases
  /// no user code, so a dispatcher may call it under its lock, for a whole batch before it tells of any.
  ///
  /// - Returns: What is left for ``tell(_:_:)``. Nil if the item had begun or ended before: then nothing
  ///   has changed.
  package final func setOutcome(_ outcome: Outcome) -> Telling? {
    let expected: UInt8
    switch outcome {
    case .completed, .failed, .abandoned: expected = Phase.running
    case .cancelled, .expired, .refused: expected = Phase.waiting
    }
    guard goOn(from: expected, to: Phase.ending) else {
      require(
        expected == Phase.waiting, "\(name) was given a second outcome: \(outcome)")
      return nil
    }
    var telling = Telling()
    switch outcome {
    case .completed:
      telling.holdsUserCode = marks.contains(.makesObject)
      telling.holdsBody = holdsUnrunBody
    case .failed(let error):
      keep(error)
      telling.holdsUserCode = true
    case .cancelled, .expired, .refused: telling.holdsBody = true
    // The body still runs, or is about to: it is its thread's.
    case .abandoned: break
    }
    ending = Ending(outcome)
    let before = state.bitwiseOr(Phase.finished, ordering: .acquiringAndReleasing).oldValue
    telling.isObserved = before & Phase.isObserved != 0
    telling.hasAwaiters = before & Phase.hasAwaiters != 0
    telling.isAwaited = before & Phase.isAwaited != 0
    if let group {
      let left = group.leaveAsMember()
      telling.group = left.emptied
      if left.holdsObservers { telling.holdsUserCode = true }
    }
    return telling
  }

  /// The short way of ``setOutcome(_:)``, for an item whose body has just run and of which nothing is to be told.
  /// Under the dispatcher's lock: nothing else may end the item at that time.
  ///
  /// - Returns: False if something may have to be told. Then the item still runs, and ``setOutcome(_:)`` ends it.
  package final func completeQuietly(after outcome: Outcome) -> Bool {
    guard case .completed = outcome, !marks.contains(.makesObject), !isMember else { return false }
    let known = state.load(ordering: .relaxed)
    let bits = Phase.all | Phase.isWatched | Phase.isAwaited
    guard known & bits == Phase.running else { return false }
    // Read only once the phase says so.
    ending = .completed
    return state.compareExchange(
      expected: known, desired: known | Phase.finished, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Lets go on the threads that wait for a group that the item has emptied. Runs no user code. Once, under no lock,
  /// and for a whole batch before ``resume(_:_:)``, since that runs user code, which may take its time.
  package final func wakeThreads(_ telling: borrowing Telling) { telling.group?.wakeThreads() }

  /// Lets go on the Tasks that wait for the item, and the Tasks and notifications that wait for a group that it has
  /// emptied. Runs user code: the executors of those Tasks, and observers. Once, under no lock, and for a whole batch
  /// before ``tell(_:_:)``.
  ///
  /// - Parameter outcome: The one that it was given.
  package final func resume(_ outcome: Outcome, _ telling: borrowing Telling) {
    telling.group?.resume()
    if telling.hasAwaiters {
      for awaiter in takeObservers(areAwaiters: true) { awaiter.call(outcome) }
    }
  }

  /// The second half of ``finish(_:)``: releases a body that never ran, and calls observers. Once, under
  /// no lock.
  ///
  /// - Parameter outcome: The one that it was given.
  package final func tell(_ outcome: Outcome, _ telling: consuming Telling) {
    if telling.holdsBody { releaseUnrun() }
    if telling.isObserved {
      for observer in takeObservers(areAwaiters: false) { observer.call(outcome) }
    }
    telling.group?.callObservers()
  }

  /// For how many items that share a lock a table is kept when none of them is watched any more.
  package static var fewObservers: Int { 64 }

  private func takeObservers(areAwaiters: Bool) -> [ItemLock.Observer] {
    ItemLock.withLock(of: self) { observers in
      defer { if observers.isEmpty, observers.capacity > Self.fewObservers { observers = [:] } }
      guard let all = observers.removeValue(forKey: ObjectIdentifier(self)) else { return [] }
      let others = all.filter { $0.isAwaiter != areAwaiters }
      if others.isEmpty { return all }
      observers[ObjectIdentifier(self)] = others
      return all.filter { $0.isAwaiter == areAwaiters }
    }
  }

  /// Releases the body of an item that has begun and was abandoned, and that no thread will run.
  package func releaseBody() { releaseUnrun() }

  /// Sets the flag that ``CurrentTask/isCancelled`` reads.
  public func requestCancellation() {
    cancellationRequested.store(true, ordering: .releasing)
  }

  /// Whether somebody asked the body to stop.
  public var isCancellationRequested: Bool { cancellationRequested.load(ordering: .acquiring) }

  /// Whether the body has begun and not yet ended.
  public var isRunning: Bool { phase == Phase.running }

  /// Whether it has its outcome. Then the calling thread sees what the body's has written, however it was told.
  final var hasOutcome: Bool { phase == Phase.finished }

  /// How it ended, or nil if it has not.
  public var outcome: Outcome? {
    guard phase == Phase.finished else { return nil }
    return switch ending {
    case .unknown: nil
    case .completed: .completed
    case .failed: failure.map { .failed($0) }
    case .cancelled: .cancelled
    case .expired: .expired
    case .abandoned: .abandoned
    case .refused(let refusal): .refused(refusal)
    }
  }

  /// Calls `observer` once with the outcome: now, if it is known, else when it is, on the thread
  /// that ends the item.
  public func whenFinished(_ observer: @escaping @Sendable (Outcome) -> Void) {
    watch(Phase.isObserved, ItemLock.Observer(isAwaiter: false, call: observer))
  }

  /// As ``whenFinished(_:)``, before all that is told of the batch that the item has ended in.
  ///
  /// - Parameter resume: Resumes a Task. That runs the Task's executor, which may be user code.
  func resumeWhenFinished(_ resume: @escaping @Sendable (Outcome) -> Void) {
    watch(Phase.hasAwaiters, ItemLock.Observer(isAwaiter: true, call: resume))
  }

  private func watch(_ bit: UInt8, _ observer: ItemLock.Observer) {
    let hasFinished = ItemLock.withLock(of: self) { observers in
      // The thread that ends it after this sees the bit, and waits here for the observer.
      let before = state.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue
      if before & Phase.all == Phase.finished { return true }
      observers[ObjectIdentifier(self), default: []].append(observer)
      return false
    }
    if hasFinished, let outcome { observer.call(outcome) }
  }

  /// Says that a thread of the item's dispatcher is blocked until the item has ended, which may be now.
  /// ``setOutcome(_:)`` then says so to that dispatcher. Under the dispatcher's lock.
  package func noteAwaited() { state.bitwiseOr(Phase.isAwaited, ordering: .relaxed) }

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
