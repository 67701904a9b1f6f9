public import Synchronization

/// A submission with options: one object that is its record, its handle and its place in the queue.
///
/// Users meet it as a ``TaskHandle`` or a ``TimerHandle``. Dispatchers get it in
/// ``DispatcherImplementation/submit(_:)``, and lead it through its life:
///
/// ```
///            ┌── it begins ──▶ running ── run(), and its outcome ──▶ finished
/// waiting ───┤
///            └── .cancelled / .expired / .refused ─────────────────▶ finished
/// ```
///
/// Exactly one call can lead an item out of `waiting`. So a cancellation that races a start is decided here, once.
///
/// A dispatcher takes an item that is submitted to it, if the item waits: ``take()``. It begins and ends the item as a
/// ``TakenItem``. For all other code ``begin()`` is false from then on, and ``finish(_:)`` traps. Other code cancels the
/// item with ``DispatcherImplementation/cancel(_:)``.
public class WorkItem: @unchecked Sendable {
  // What guards each property:
  //
  // - The body and the ending: only the thread that has changed the item's state touches them, and other
  //   threads read them once the state allows it. The body of an abandoned item stays with the thread that
  //   runs it, and no other thread reads its result. The body of a repeating timer, which never begins, is
  //   read under its dispatcher's lock.
  // - The dispatcher's own fields: the dispatcher's lock. While a thread posts the item, they are that thread's, until
  //   the stage says where the item stands.
  // - The observers: the item's lock.
  // - All else is immutable or atomic.
  //
  // So two threads never touch a property at the same time, and no check at run time is needed.

  /// The kind of a submission. It decides which limits apply to the item, and how it begins.
  public enum Kind: UInt8, Sendable {
    case task
    /// A timer: waits for a time first.
    case timer
    /// A repeating timer: waits for one time after another. Each run is an item of its own, of kind `.timer`.
    case repeating
    /// The result of a task on its way to the foreground. Exempt from limits.
    case reply
    /// A job of a Swift Task. Exempt from limits, and cannot be refused.
    case job
    /// A Task that sleeps on the dispatcher's clock. Exempt from limits, and has nothing to run.
    case sleep
    /// A notification: waits until a group is empty. Exempt from limits.
    case notification
    /// A call of a handler for a signal or a descriptor. Exempt from limits.
    case event
  }

  enum Phase {
    static let waiting: UInt16 = 0
    static let running: UInt16 = 1
    /// A thread is writing its outcome.
    static let ending: UInt16 = 2
    static let finished: UInt16 = 3
    static let all: UInt16 = 3

    // Bits beside the phase. They stay when the phase changes.
    /// The thread that ends the item calls observers.
    static let isObserved: UInt16 = 4
    static let failureIsSeen: UInt16 = 8
    /// A thread of its dispatcher is blocked until the item ends.
    static let isAwaited: UInt16 = 16
    static let isSubmitted: UInt16 = 32
    static let isUnwanted: UInt16 = 64
    /// Tasks await the outcome.
    static let hasAwaiters: UInt16 = 128
    static let isWatched = isObserved | hasAwaiters
    /// A dispatcher has taken the item.
    static let isTaken: UInt16 = 256
    static let isCancellationRequested: UInt16 = 512
    /// The dispatcher that has taken it is none of this package.
    static let isTakenOutside: UInt16 = 1024
  }

  // The order leaves no gaps between properties, and puts those first that are read first. With the
  // properties of its subclasses, an item is as large as `malloc` can pass from thread to thread without
  // taking its lock. One thread allocates an item and another frees it. If both needed that lock, they would
  // wait for each other longer than for all else.
  @safe @exclusivity(unchecked) @usableFromInline final var heldPlace = Place()
  @usableFromInline let heldStage = Atomic<UInt8>(Place.Stage.nowhere.rawValue)
  public let atShutdown: ShutdownBehavior
  let state = Atomic<UInt16>(Phase.waiting)
  public let kind: Kind
  public let lane: Lane
  @usableFromInline final let marks: Marks
  @safe @exclusivity(unchecked) private var ending = Ending.unknown
  @safe @exclusivity(unchecked) @usableFromInline final var queuedAs: TaskContext?
  @usableFromInline final let more: More
  /// Where the item was submitted.
  public let site: CallSite
  /// The band in which the item waits. Meaningless on the foreground.
  public let band: PriorityBand
  @safe @exclusivity(unchecked) @usableFromInline final var heldPlaceIsIn = DispatcherName.none

  /// Flags packed into one byte.
  @usableFromInline struct Marks: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8
    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable static var isBarrier: Marks { Marks(rawValue: 1) }
    static var hasTimeToLive: Marks { Marks(rawValue: 2) }
    /// Releasing the value that the body makes may run user code.
    @inlinable static var makesObject: Marks { Marks(rawValue: 4) }
    /// The flags that matter before the item has run.
    @inlinable static var beforeStart: Marks { Marks(rawValue: 3) }
  }

  /// An ``Outcome`` without its error. The error is kept where the body was.
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

  /// Whether the item waits for all that run in its view, and runs alone there.
  @inlinable public final var isBarrier: Bool {
    @inline(__always) get { marks.contains(.isBarrier) }
  }

  /// Whether the item may expire.
  final var hasTimeToLive: Bool { marks.contains(.hasTimeToLive) }

  /// A name for reports, errors and tests.
  public var label: String? { extras?.label }

  /// The time before which the item does not start, in nanoseconds. Nil for now.
  var dueInNanoseconds: Int64? { nil }

  /// The item that the user has the handle of. For a run of a repeating timer, this is the timer.
  package var handled: WorkItem { self }

  /// The item that has to run next before this one can end. For a repeating timer, this is its run, if it has
  /// one.
  package var next: WorkItem { self }

  /// Does what ``take()`` does, without a ``TakenItem``.
  ///
  /// - Returns: Whether this call has taken the item.
  package final func markTaken() -> Bool {
    goOn(from: Phase.waiting, to: Phase.isTaken, comparing: Phase.all | Phase.isTaken)
  }

  /// Does what ``markTaken()`` does, for a dispatcher outside of this package.
  final func markTakenOutside() -> Bool {
    goOn(
      from: Phase.waiting, to: Phase.isTaken | Phase.isTakenOutside,
      comparing: Phase.all | Phase.isTaken)
  }

  @usableFromInline init(_ origin: Origin, _ more: consuming More, makesObject: Bool = false) {
    kind = origin.kind
    lane = origin.lane
    site = origin.site
    band = origin.band
    atShutdown = origin.atShutdown
    marks = [
      origin.isBarrier ? .isBarrier : [], origin.hasTimeToLive ? .hasTimeToLive : [],
      makesObject ? .makesObject : [],
    ]
    self.more = more
  }

  deinit {
    // The item never ended, and its observers are still stored under its address. They are released without the lock.
    let state = state.load(ordering: .relaxed)
    if state & Phase.isWatched != 0, state & Phase.all != Phase.finished {
      _ = ItemLock.withLock(of: self) { $0.removeValue(forKey: ObjectIdentifier(self)) }
    }
  }

  // MARK: For dispatchers

  /// Whether limits count the item. Jobs, due timers and replies are exempt, because no code could react to a
  /// refusal.
  @inlinable public final var countsAgainstLimits: Bool { kind == .task }

  /// Begins an item that no dispatcher has taken, if it still waits. False if it was finished first, or if a dispatcher
  /// has taken it: do not run it then. A dispatcher calls ``TakenItem/begin(at:)``.
  public func begin() -> Bool {
    goOn(from: Phase.waiting, to: Phase.running, comparing: Phase.all | Phase.isTaken)
  }

  /// Begins an item that waits in the dispatcher which has taken it. Under that dispatcher's lock.
  package final func beginTaken() { require(beginIfItWaits(), "\(name) began twice") }

  /// Begins the item if it waits, whether or not a dispatcher has taken it.
  package final func beginIfItWaits() -> Bool { goOn(from: Phase.waiting, to: Phase.running) }

  /// Changes the phase from `old` to `new`, and nothing else. False if the phase was not `old`: then nothing has
  /// changed.
  ///
  /// - Parameter bits: What is compared with `old`: the phase, and other bits.
  @inline(__always)
  private func goOn(from old: UInt16, to new: UInt16, comparing bits: UInt16 = Phase.all) -> Bool {
    var known = old
    while true {
      let (isDone, found) = state.compareExchange(
        expected: known, desired: known & ~Phase.all | new, ordering: .acquiringAndReleasing)
      if isDone { return true }
      guard found & bits == old else { return false }
      known = found
    }
  }

  private var phase: UInt16 { state.load(ordering: .acquiring) & Phase.all }

  /// Runs the body on the calling thread. Only after ``begin()``, once.
  ///
  /// - Returns: `.completed`, or `.failed` with what the body threw. Pass it to ``finish(_:)``.
  public func run() -> Outcome {
    do {
      try callBody()
      return .completed
    } catch {
      return .failed(error)
    }
  }

  /// Calls the body, and releases it.
  func callBody() throws { abstract() }

  /// Keeps the error that the body has thrown. The body has run, so there is none to release.
  func keep(_ failure: any Error) { abstract() }

  /// Whether the body was called. Under the lock of the item's dispatcher, or on the thread that runs the body.
  var hasCalledBody: Bool { abstract() }

  /// Whether the item has a body that has not run.
  var holdsUnrunBody: Bool { abstract() }

  /// Releases the body, which has not run and never will.
  package func releaseUnrun() { abstract() }

  /// The error that the body threw. Nil if it threw none.
  var failure: (any Error)? { abstract() }

  private func abstract() -> Never { refuse("an item of no class that has a body") }

  @usableFromInline final func refuseToRunTwice() -> Never { refuse("\(name) was run twice") }

  /// Ends the item: gives it its outcome, leaves the group, releases a body that has not run, and calls
  /// observers. If this has emptied the group, it also calls the group's observers.
  ///
  /// For code that has made an item which it does not submit. Call it without any lock, because observers run here.
  /// While the item waits, any thread may call it. While it runs, only the thread that began it may call it.
  ///
  /// Traps if a dispatcher has taken the item and not ended it: it ends the item itself, by ``Endings``. To cancel the
  /// item, call ``DispatcherImplementation/cancel(_:)`` of that dispatcher.
  ///
  /// - Returns: Whether this call ended the item. False if it had begun or ended before.
  @discardableResult
  public func finish(_ outcome: Outcome) -> Bool {
    requireOwn()
    guard let telling = setOutcome(outcome, comparing: Phase.all | Phase.isTaken) else {
      // A dispatcher may have taken it at this moment.
      requireOwn()
      return false
    }
    tellAll(outcome, telling)
    return true
  }

  /// Traps if a dispatcher has taken the item, and not ended it.
  private func requireOwn() {
    let state = state.load(ordering: .relaxed)
    require(
      state & Phase.isTaken == 0 || state & Phase.all == Phase.finished,
      """
      \(name) was finished by code other than the dispatcher that it was submitted to. To cancel it, call cancel(_:) of \
      its handle, or of that dispatcher
      """)
  }

  /// Ends the item, as ``finish(_:)`` does, for the dispatcher that has taken it.
  @discardableResult
  package final func finishTaken(_ outcome: Outcome) -> Bool {
    guard let telling = setOutcome(outcome) else { return false }
    tellAll(outcome, telling)
    return true
  }

  private func tellAll(_ outcome: Outcome, _ telling: consuming Telling) {
    wakeThreads(telling)
    resume(outcome, telling)
    tell(outcome, telling)
  }

  /// Gives the item its outcome, and leaves the group: the first part of ``finish(_:)``.
  ///
  /// It neither calls nor releases user code. So a dispatcher may call it under its lock, for a whole batch
  /// of items before user code is called for the first.
  ///
  /// - Returns: What is left to do by ``wakeThreads(_:)``, ``resume(_:_:)`` and ``tell(_:_:)``. Nil if the
  ///   item had begun or ended before: then nothing has changed.
  package final func setOutcome(_ outcome: Outcome) -> Telling? {
    setOutcome(outcome, comparing: Phase.all)
  }

  @inline(__always)
  private func setOutcome(_ outcome: Outcome, comparing bits: UInt16) -> Telling? {
    let expected: UInt16
    switch outcome {
    case .completed, .failed, .abandoned: expected = Phase.running
    case .cancelled, .expired, .refused: expected = Phase.waiting
    }
    guard goOn(from: expected, to: Phase.ending, comparing: bits) else {
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
    // The body still runs, or is about to. It stays with its thread.
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

  /// Completes an item whose body has just run, if nothing is to be told: the short way of
  /// ``setOutcome(_:)``. Under the dispatcher's lock. No other code may end the item at that time.
  ///
  /// - Returns: False if something may have to be told. Then the item still runs, and ``setOutcome(_:)`` ends
  ///   it.
  package final func completeQuietly(after outcome: Outcome) -> Bool {
    guard case .completed = outcome, !marks.contains(.makesObject), !isMember else { return false }
    let known = state.load(ordering: .relaxed)
    let bits = Phase.all | Phase.isWatched | Phase.isAwaited
    guard known & bits == Phase.running else { return false }
    // Other threads read it only once the phase says so.
    ending = .completed
    return state.compareExchange(
      expected: known, desired: known | Phase.finished, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Sets the flag that ``CurrentTask/isCancelled`` reads. Any thread.
  public func requestCancellation() {
    state.bitwiseOr(Phase.isCancellationRequested, ordering: .acquiringAndReleasing)
  }

  /// Whether ``requestCancellation()`` was called.
  public var isCancellationRequested: Bool {
    state.load(ordering: .acquiring) & Phase.isCancellationRequested != 0
  }

  /// Whether the body has begun and not yet ended.
  public var isRunning: Bool { phase == Phase.running }

  /// Whether the item has its outcome. If so, the calling thread sees everything that the body has written.
  final var hasOutcome: Bool { phase == Phase.finished }

  /// How the item ended, or nil if it has not. Any thread.
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

  /// The name that messages use: the label, else the file and line.
  public var name: String { label.map { "\"\($0)\"" } ?? "\(site)" }
}
