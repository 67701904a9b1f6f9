internal import Synchronization
internal import TaskDispatch

/// Where plain bodies are posted to a lane, under a lock of its own that is held for an append or for
/// a swap. Those who post and those who run so almost never meet. The background's takes in as well
/// which views have something in theirs: see ``ViewInbox``.
///
/// It is *attended* while somebody is certain to come and look. Two invariants hold whenever its lock
/// is free:
///
/// - **A**: if it holds anything, it is attended. Whoever posts into an unattended one makes it
///   attended, and fetches somebody. Only who has just seen that it is empty, and that nobody else
///   looks, makes it unattended: ``rest()``.
/// - **C**: once closed it takes nothing in. What it held then, the closer collects.
///
/// Where two may run what it holds, the second post fetches as well. Of a burst, the one that was fetched
/// first would fetch the other when it has come, and who posts most often sleeps by then: the kernel
/// then often leaves both on one processor.
///
/// Its lock may be taken under the dispatcher's, never the other way round.
struct Inbox: ~Copyable, @unchecked Sendable {
  // Of 48 bytes, so that it shares a cache line with its lock. Not private: of that, Swift 6.3.1 makes a
  // broken module.
  struct State: ~Copyable {
    var entries = Ring<Entry>()
    var isOpen: Bool
    var holdsItems = false
    var fetching: Int32 = 0
  }

  // Written under the lock, and also read without it. A reader to whom a post happened before sees
  // what that wrote; any other reader is as good a moment early.
  struct Signs: ~Copyable {
    let holdsEntries = Atomic(false)
    /// Which view it holds, `several`, or none.
    let holdsView = Atomic(none)
    static var none: UInt { 0 }
    static var several: UInt { 1 }
    /// How many posts have fetched somebody since nobody attended to it.
    let calls = Atomic<UInt8>(0)
  }

  // What each post writes, and what is written seldom and read by those who run: if they lay together,
  // each post would take the line from those, and each of their looks from who posts.
  private let state: LockedLine<State>
  private let signs = Owned(padded: Signs())
  // Under the same lock. A plain body need not take the line that it lies in.
  private let views = Owned(Ring<UVView>())
  private let mostCalls: UInt8

  /// - Parameter isForTwo: Whether two threads may run what it holds.
  init(isOpen: Bool, isForTwo: Bool = false) {
    state = LockedLine(State(isOpen: isOpen))
    mostCalls = isForTwo ? 2 : 1
  }

  // MARK: Posting

  /// Begins a post, which ``post(_:)`` ends. False if it is closed: then there is nothing to end.
  @inline(__always) func beginPost() -> Bool {
    state.lock()
    if state.value.isOpen { return true }
    state.unlock()
    return false
  }

  /// - Returns: Whether the caller has to fetch somebody, and to say ``fetched()`` after that.
  @inline(__always) func post(_ entry: consuming Entry, isItem: Bool = false) -> Bool {
    if state.value.entries.isEmpty { signs.value.holdsEntries.store(true, ordering: .relaxed) }
    if isItem { state.value.holdsItems = true }
    state.value.entries.append(entry)
    return endPost()
  }

  /// Takes in that a view has something in its inbox, which the caller has locked.
  func announce(_ view: UVView) -> ViewInbox.Begun {
    guard beginPost() else { return .isRefused }
    let sign = views.value.isEmpty ? Self.sign(ObjectIdentifier(view)) : Signs.several
    signs.value.holdsView.store(sign, ordering: .relaxed)
    views.value.append(view)
    return endPost() ? .mustFetch : .isAttended
  }

  /// A view that was announced, and that the caller has locked, gets more, which another thread may run.
  func announceMore() -> ViewInbox.Begun {
    guard mayCall, beginPost() else { return .isAttended }
    assert(isAttended, "whoever collects a view makes it unattended before anybody rests")
    return endPost() ? .mustFetch : .isAttended
  }

  @inline(__always) private func endPost() -> Bool {
    let mustFetch = mayCall
    if mustFetch {
      signs.value.calls.store(signs.value.calls.load(ordering: .relaxed) + 1, ordering: .relaxed)
      state.value.fetching += 1
    }
    state.unlock()
    return mustFetch
  }

  private var mayCall: Bool {
    @inline(__always) get { signs.value.calls.load(ordering: .relaxed) < mostCalls }
  }

  /// Somebody was fetched.
  ///
  /// - Returns: Whether it is closed, so that somebody may wait for this: see ``isBeingFetchedFor``.
  func fetched() -> Bool {
    state.lock()
    defer { state.unlock() }
    state.value.fetching -= 1
    return !state.value.isOpen
  }

  /// Whether a thread that posted has the means of fetching in its hands.
  var isBeingFetchedFor: Bool {
    state.lock()
    defer { state.unlock() }
    return state.value.fetching > 0
  }

  // MARK: Collecting

  var mayHoldEntries: Bool { signs.value.holdsEntries.load(ordering: .relaxed) }

  var mayHoldViews: Bool { signs.value.holdsView.load(ordering: .relaxed) != Signs.none }

  /// As ``mayHoldViews``, for others than this one.
  func mayHoldViews(otherThan view: ObjectIdentifier?) -> Bool {
    let held = signs.value.holdsView.load(ordering: .relaxed)
    return held != Signs.none && (view.map(Self.sign) != held)
  }

  /// No object lies at an address as low as the other signs.
  private static func sign(_ view: ObjectIdentifier) -> UInt { UInt(bitPattern: view) }

  var isAttended: Bool { signs.value.calls.load(ordering: .relaxed) > 0 }

  /// Lets `body` take everything out.
  func collect(_ body: (inout Ring<Entry>, _ holdsItems: Bool) -> Void) {
    state.lock()
    defer { state.unlock() }
    body(&state.value.entries, state.value.holdsItems)
    state.value.holdsItems = false
    signs.value.holdsEntries.store(false, ordering: .relaxed)
  }

  /// Gives the views that were announced for the empty ring `others`.
  func takeViews(_ others: inout Ring<UVView>) {
    state.lock()
    defer { state.unlock() }
    swap(&others, &views.value)
    signs.value.holdsView.store(Signs.none, ordering: .relaxed)
  }

  /// Nobody looks any more: who posts next has to fetch somebody.
  ///
  /// - Returns: False if it holds something: then the caller has to look again.
  func rest() -> Bool {
    state.lock()
    defer { state.unlock() }
    guard state.value.entries.isEmpty, views.value.isEmpty else { return false }
    signs.value.calls.store(0, ordering: .relaxed)
    return true
  }

  /// Lets nothing more in.
  func close() {
    state.lock()
    defer { state.unlock() }
    state.value.isOpen = false
  }
}
