internal import Synchronization
internal import TaskDispatch

/// The inbox of a lane. Threads post plain tasks and simple items to it under a lock of its own, which a thread holds
/// for an append or for a swap. So threads that post and threads that run tasks almost never meet. The background's
/// inbox also takes in which views have something in theirs: see ``ViewInbox``.
///
/// A *consumer* is the loop's thread or a worker run. The inbox is *notified* (`isNotified`) while a consumer is
/// certain to come and look; else it is *idle*. Two invariants hold whenever its lock is free:
///
/// - **A**: if it holds anything, it is notified. A thread that posts to an idle one makes it notified, and notifies a
///   consumer. It becomes idle by ``tryGoIdle()`` only: the calling thread has just seen that it is empty, and no other
///   consumer is looking.
/// - **C**: once closed it takes nothing in. The thread that closes it drains what it held then.
///
/// With each post that counts it gives away a *credit*: see ``FlowControl``. Once closed it has none, and a submission
/// takes its credit under the dispatcher's lock.
///
/// If two threads may run what it holds, the second post notifies a consumer as well. In a burst, the first consumer
/// would come too late to do that: the posting thread most often sleeps by then, and the kernel often leaves both
/// consumers on one processor.
///
/// A thread may take this lock under the dispatcher's, never the other way round.
struct Inbox: ~Copyable, @unchecked Sendable {
  // What each post changes besides the ring stands last, on the cache line of the lock. Not private: with a private
  // one, Swift 6.3.1 makes a broken module.
  struct State: ~Copyable {
    var entries = Ring<Entry>()
    /// When the first of the entries was posted, in nanoseconds of the monotonic clock, exact to some milliseconds.
    var since: Int64 = 0
    var isOpen: Bool
    var holdsItems = false
    var notifying: Int32 = 0
    /// How many more posts may come before the limit is asked. None if the inbox is closed; without a limit there are
    /// more than will ever be used.
    var credits: Int
    /// How many plain tasks were posted, if there is a recorder.
    var plainPosted: UInt64 = 0
  }

  /// What came of the begin of a post.
  enum Opening {
    case open
    /// The limit lets nothing more in.
    case full
    case closed
  }

  // Written under the lock, and also read without it. A thread that is ordered after a post reads what the post wrote.
  // To any other thread, an old value is as good as a look a moment earlier.
  struct Signs: ~Copyable {
    let holdsEntries = Atomic(false)
    /// The view that is ready, or `several`, or `none`.
    let holdsView = Atomic(none)
    static var none: UInt { 0 }
    static var several: UInt { 1 }
    /// How many posts have notified a consumer since the inbox was last idle.
    let notifications = Atomic<UInt8>(0)
  }

  // Each post writes `state`. `signs` are written seldom, and read by threads that run tasks. If both lay on one cache
  // line, each post would take the line from those threads, and each of their looks from the posting threads.
  private let state: LockedLine<State>
  private let signs = Owned(padded: Signs())
  // Under the same lock. Apart, so that the post of a plain task need not touch its cache line.
  private let views = Owned(Ring<UVView>())
  private let mostNotifications: UInt8
  /// The limit of the lane; nil if it has none.
  let flow: FlowControl?

  /// - Parameters:
  ///   - isForTwo: Whether two threads may run what it holds.
  ///   - overflow: The limit of the lane.
  init(isOpen: Bool, isForTwo: Bool = false, overflow: Overflow = .unbounded) {
    // By a variable: Swift 6.3.1 destroys a field before its first value if another field was read before.
    let flow = FlowControl(overflow)
    state = LockedLine(State(isOpen: isOpen, credits: isOpen && flow == nil ? .max : 0))
    mostNotifications = isForTwo ? 2 : 1
    self.flow = flow
  }

  // MARK: Posting

  /// Begins a post that counts, which ``post(_:)`` or ``post(item:)`` ends. If the answer is not ``Opening/open``,
  /// there is nothing to end.
  @inline(__always) func beginPost() -> Opening {
    state.lock()
    if state.value.credits == 0 { return beginPostWithoutCredit() }
    state.value.credits -= 1
    return .open
  }

  @inline(never) private func beginPostWithoutCredit() -> Opening {
    guard state.value.isOpen, let flow else {
      state.unlock()
      return .closed
    }
    let issued = flow.issueCredits()
    if issued == 0 {
      state.unlock()
      return .full
    }
    state.value.credits = issued - 1
    return .open
  }

  /// Begins a post that no limit counts. False if the inbox is closed.
  @inline(__always) func beginExemptPost() -> Bool {
    state.lock()
    if state.value.isOpen { return true }
    state.unlock()
    return false
  }

  /// Takes a credit for a submission that comes in by the dispatcher's lock, which the calling thread holds. The lane
  /// has a limit.
  ///
  /// - Returns: False if the queue is full.
  func takeCredit() -> Bool {
    guard let flow else { return true }
    state.lock()
    defer { state.unlock() }
    if state.value.credits == 0 {
      state.value.credits = flow.issueCredits(atMost: state.value.isOpen ? .max : 1)
    }
    guard state.value.credits > 0 else { return false }
    state.value.credits -= 1
    return true
  }

  /// Appends `entry`, and ends the post.
  ///
  /// - Returns: Whether the caller has to notify a consumer, and to call ``hasNotified()`` after that.
  @inline(__always) func post(_ entry: consuming Entry) -> Bool {
    append(entry)
    return endPost()
  }

  /// Appends a plain task as ``post(_:)`` does, and counts it for the recorder.
  ///
  /// - Parameter number: Becomes its place among all plain tasks of the queue.
  @inline(__always) func post(recorded plain: consuming PlainTask, _ number: inout UInt64) -> Bool {
    state.value.plainPosted &+= 1
    number = state.value.plainPosted
    return post(.plain(plain))
  }

  /// Appends an item whose place is written, as ``post(_:)`` does.
  @inline(__always) func post(item: WorkItem) -> Bool {
    append(.item(item))
    state.value.holdsItems = true
    // Last: a thread that reads this finds the item in a draining of the inbox.
    item.stage = .posted
    return endPost()
  }

  @inline(__always) private func append(_ entry: consuming Entry) {
    if state.value.entries.isEmpty {
      signs.value.holdsEntries.store(true, ordering: .relaxed)
      state.value.since = recentMonotonicNanoseconds()
    }
    state.value.entries.append(entry)
  }

  /// Marks a view as ready: it has something in its inbox, whose lock the calling thread holds.
  func markReady(_ view: UVView) -> ViewInbox.Begun {
    guard beginExemptPost() else { return .isRefused }
    let sign = views.value.isEmpty ? Self.sign(ObjectIdentifier(view)) : Signs.several
    signs.value.holdsView.store(sign, ordering: .relaxed)
    views.value.append(view)
    return endPost() ? .mustNotify : .isNotified
  }

  /// The inbox of a view that is marked ready gets more, which another thread may run. The calling thread holds the
  /// lock of that inbox.
  func notifyForMore() -> ViewInbox.Begun {
    guard mayNotify, beginExemptPost() else { return .isNotified }
    assert(isNotified, "a thread that drains a view makes it idle before the background goes idle")
    return endPost() ? .mustNotify : .isNotified
  }

  @inline(__always) private func endPost() -> Bool {
    let mustNotify = mayNotify
    if mustNotify {
      signs.value.notifications.store(
        signs.value.notifications.load(ordering: .relaxed) + 1, ordering: .relaxed)
      state.value.notifying += 1
    }
    state.unlock()
    return mustNotify
  }

  private var mayNotify: Bool {
    @inline(__always) get { signs.value.notifications.load(ordering: .relaxed) < mostNotifications }
  }

  /// The calling thread has notified a consumer.
  ///
  /// - Returns: Whether the inbox is closed. Then a thread may be waiting for this: see ``isNotifying``.
  func hasNotified() -> Bool {
    state.lock()
    defer { state.unlock() }
    state.value.notifying -= 1
    return !state.value.isOpen
  }

  /// Whether a thread that has posted is about to notify a consumer. Until it has, it may use the loop's handle.
  var isNotifying: Bool {
    state.lock()
    defer { state.unlock() }
    return state.value.notifying > 0
  }

  // MARK: Draining

  var mayHoldEntries: Bool { signs.value.holdsEntries.load(ordering: .relaxed) }

  var mayHoldViews: Bool { signs.value.holdsView.load(ordering: .relaxed) != Signs.none }

  /// Whether it may hold another view than `view`.
  func mayHoldViews(otherThan view: ObjectIdentifier?) -> Bool {
    let held = signs.value.holdsView.load(ordering: .relaxed)
    return held != Signs.none && (view.map(Self.sign) != held)
  }

  /// The sign of a view is its address. No object lies at an address as low as the other signs.
  private static func sign(_ view: ObjectIdentifier) -> UInt { UInt(bitPattern: view) }

  var isNotified: Bool { signs.value.notifications.load(ordering: .relaxed) > 0 }

  /// Drains the inbox: `body`, under the lock, takes everything out.
  func drain(_ body: (inout Ring<Entry>, _ holdsItems: Bool, _ since: Int64) -> Void) {
    state.lock()
    defer { state.unlock() }
    body(&state.value.entries, state.value.holdsItems, state.value.since)
    state.value.holdsItems = false
    signs.value.holdsEntries.store(false, ordering: .relaxed)
  }

  /// How many entries it holds, and when the first of them was posted, in nanoseconds of the monotonic clock.
  var content: (count: Int, since: Int64) {
    state.lock()
    defer { state.unlock() }
    return (state.value.entries.slotCount, state.value.since)
  }

  /// The views that were marked ready. They stay so.
  var readyViews: [UVView] {
    state.lock()
    defer { state.unlock() }
    return (views.value.head..<views.value.tail).map { position in
      views.value.withElement(at: position) { $0 }
    }
  }

  /// Takes the views that were marked ready, and leaves the empty ring `others` in their place.
  func takeReadyViews(_ others: inout Ring<UVView>) {
    state.lock()
    defer { state.unlock() }
    swap(&others, &views.value)
    signs.value.holdsView.store(Signs.none, ordering: .relaxed)
  }

  /// Makes the inbox idle: the next post has to notify a consumer.
  ///
  /// - Returns: False if it holds something. Then it stays notified, and the caller has to look again.
  func tryGoIdle() -> Bool {
    state.lock()
    defer { state.unlock() }
    guard state.value.entries.isEmpty, views.value.isEmpty else { return false }
    signs.value.notifications.store(0, ordering: .relaxed)
    return true
  }

  /// Closes the inbox: it takes nothing in from now on.
  func close() {
    state.lock()
    defer { state.unlock() }
    state.value.isOpen = false
    flow?.takeBack(state.value.credits)
    state.value.credits = 0
  }

  /// Whether it takes nothing in any more.
  var isClosed: Bool {
    state.lock()
    defer { state.unlock() }
    return !state.value.isOpen
  }
}
