internal import TaskDispatch

/// The inbox of a view, under a lock of its own. ``Inbox`` is that of a lane.
///
/// It is *notified* (`isNotified`) while a consumer is certain to come and look; else it is *idle*. Most often a
/// consumer comes because the view was marked ready in the background's inbox, and drains the view with that. Or the
/// view is full: then the thread that ends a task of it drains it, and no thread could start one before. Two
/// invariants hold whenever its lock is free:
///
/// - **A**: if it holds anything, it is notified. A thread that posts to an idle one makes it notified, and marks the
///   view ready. Only the thread that drains it makes it idle, in the same step.
/// - **C**: once the background's inbox is closed, an idle one takes nothing in. The thread that closes that inbox
///   drains what the notified ones held or got by then.
///
/// Of views that are marked ready at the same time, one gets all its ready tokens before the next. Which of two queues
/// goes first is not promised, and none gets more tokens than it may have at a time.
///
/// A thread may take this lock under the dispatcher's, and that of the background's inbox under this.
struct ViewInbox: ~Copyable, @unchecked Sendable {
  // Not private, for the same reason as ``Inbox/State``.
  struct State: ~Copyable {
    var entries = Ring<Entry>()
    /// When the first of the entries was posted: see ``Inbox/content``.
    var since: Int64 = 0
    var isNotified = false
    /// The view was marked ready for one post, and a second post may notify another consumer.
    var mayNotifyForMore = false
    var holdsItems = false
    /// How many more posts may come before the limit is asked. Without a limit there are more than will ever be used.
    var credits: Int
    /// How many plain tasks were posted, if there is a recorder.
    var plainPosted: UInt64 = 0
  }

  private let state: LockedLine<State>
  private let isForTwo: Bool
  /// The limit of the view; nil if it has none.
  let flow: FlowControl?

  /// - Parameters:
  ///   - isForTwo: Whether two threads may run what it holds: see ``Inbox``.
  ///   - overflow: The limit of the view.
  init(isForTwo: Bool, overflow: Overflow = .unbounded) {
    // By a variable, as in ``Inbox``.
    let flow = FlowControl(overflow)
    state = LockedLine(State(credits: flow == nil ? .max : 0))
    self.isForTwo = isForTwo
    self.flow = flow
  }

  enum Begun {
    case isNotified
    /// The caller has to notify a consumer after the post, and to call ``Inbox/hasNotified()`` after that.
    case mustNotify
    /// The inbox takes nothing in any more, and there is no post to end.
    case isRefused
    /// The limit lets nothing more in, and there is no post to end.
    case isFull
  }

  /// Begins a post, which ``post(_:)`` or ``post(item:)`` ends.
  ///
  /// - Parameters:
  ///   - markReady: Called if the inbox is idle: ``Inbox/markReady(_:)``.
  ///   - notifyForMore: Called if the view was marked ready for one post: ``Inbox/notifyForMore()``.
  @inline(__always) func beginPost(markReady: () -> Begun, notifyForMore: () -> Begun) -> Begun {
    state.lock()
    guard hasCredit() else {
      state.unlock()
      return .isFull
    }
    state.value.credits -= 1
    if state.value.isNotified {
      if !state.value.mayNotifyForMore { return .isNotified }
      state.value.mayNotifyForMore = false
      return notifyForMore()
    }
    // A consumer that comes for the view waits at this lock until the entry is posted.
    let answer = markReady()
    if answer == .isRefused {
      state.value.credits += 1
      state.unlock()
    } else {
      state.value.isNotified = true
      state.value.mayNotifyForMore = isForTwo
    }
    return answer
  }

  /// Whether there is a credit, perhaps one that is issued now. Under the lock of the inbox.
  @inline(__always) private func hasCredit() -> Bool {
    state.value.credits > 0 || issueCredits()
  }

  @inline(never) private func issueCredits() -> Bool {
    state.value.credits = flow?.issueCredits() ?? .max
    return state.value.credits > 0
  }

  /// Takes a credit for a submission that comes in by the dispatcher's lock, which the calling thread holds.
  ///
  /// - Returns: False if the queue is full.
  func takeCredit() -> Bool {
    if flow == nil { return true }
    state.lock()
    defer { state.unlock() }
    guard hasCredit() else { return false }
    state.value.credits -= 1
    return true
  }

  @inline(__always) private func append(_ entry: consuming Entry) {
    if state.value.entries.isEmpty { state.value.since = recentMonotonicNanoseconds() }
    state.value.entries.append(entry)
  }

  @inline(__always) func post(_ entry: consuming Entry) {
    append(entry)
    state.unlock()
  }

  /// Appends a plain task as ``post(_:)`` does, and counts it: see ``Inbox/post(recorded:_:)``.
  @inline(__always) func post(recorded plain: consuming PlainTask, _ number: inout UInt64) {
    state.value.plainPosted &+= 1
    number = state.value.plainPosted
    post(.plain(plain))
  }

  /// Appends an item whose place is written, and ends the post.
  @inline(__always) func post(item: WorkItem) {
    append(.item(item))
    state.value.holdsItems = true
    // Last: see ``Inbox/post(item:)``.
    item.stage = .posted
    state.unlock()
  }

  /// Drains the inbox: `body`, under the lock, takes everything out.
  ///
  /// - Parameter staysNotified: Whether the inbox stays notified. If not, it is idle after that.
  func drain(
    staysNotified: Bool, _ body: (inout Ring<Entry>, _ holdsItems: Bool, _ since: Int64) -> Void
  ) {
    state.lock()
    defer { state.unlock() }
    state.value.isNotified = staysNotified
    state.value.mayNotifyForMore = false
    body(&state.value.entries, state.value.holdsItems, state.value.since)
    state.value.holdsItems = false
  }

  /// How many entries it holds, and when the first of them was posted: see ``Inbox/content``.
  var content: (count: Int, since: Int64) {
    state.lock()
    defer { state.unlock() }
    return (state.value.entries.slotCount, state.value.since)
  }
}
