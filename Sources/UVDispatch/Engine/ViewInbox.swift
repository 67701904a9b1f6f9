internal import TaskDispatch

/// Where plain bodies are posted to a view, under a lock of its own, as an ``Inbox`` is a lane's.
///
/// It is *attended* while somebody is certain to come and look. Most often because the view was announced
/// in the background's inbox, whose business it is then. Or because the view is full: then whoever ends a
/// body of it looks, and nobody else could start one. Two invariants hold whenever its lock is free:
///
/// - **A**: as of an ``Inbox``. Who makes it unattended collects at the same time, and nobody else does.
/// - **C**: once the background's inbox is closed, nothing comes into one that is unattended. What the
///   attended ones held or got by then, the closer collects.
///
/// Of views that are announced at a time, one gets all its turns before the next. Which of two queues
/// goes first nobody is promised, and none gets more turns than it may have at a time.
///
/// Its lock may be taken under the dispatcher's, and that of the background's inbox under this.
struct ViewInbox: ~Copyable, @unchecked Sendable {
  // Not private, for the same reason as an inbox's.
  struct State: ~Copyable {
    var entries = Ring<Entry>()
    var isAttended = false
    /// It has been announced for one post.
    var mayAnnounceMore = false
    var holdsItems = false
  }

  private let state = LockedLine(State())
  private let isForTwo: Bool

  /// - Parameter isForTwo: Whether two threads may run what it holds: see ``Inbox``.
  init(isForTwo: Bool) { self.isForTwo = isForTwo }

  enum Begun {
    case isAttended
    /// The caller has to fetch somebody after the post, and to say ``Inbox/fetched()`` after that.
    case mustFetch
    /// Nothing comes in any more, and there is nothing to end.
    case isRefused
  }

  /// Begins a post, which ``post(_:)`` ends.
  ///
  /// - Parameters:
  ///   - announce: Called if it is not attended; as ``Inbox/announce(_:)``.
  ///   - announceMore: Called if it is attended for one post; as ``Inbox/announceMore()``.
  @inline(__always) func beginPost(announce: () -> Begun, announceMore: () -> Begun) -> Begun {
    state.lock()
    if state.value.isAttended {
      if !state.value.mayAnnounceMore { return .isAttended }
      state.value.mayAnnounceMore = false
      return announceMore()
    }
    // Whoever comes for that waits at the lock for what is posted.
    let answer = announce()
    if answer == .isRefused {
      state.unlock()
    } else {
      state.value.isAttended = true
      state.value.mayAnnounceMore = isForTwo
    }
    return answer
  }

  @inline(__always) func post(_ entry: consuming Entry, isItem: Bool = false) {
    if isItem { state.value.holdsItems = true }
    state.value.entries.append(entry)
    state.unlock()
  }

  /// Lets `body` take everything out.
  func collect(
    staysAttended: Bool, _ body: (inout Ring<Entry>, _ holdsItems: Bool) -> Void
  ) {
    state.lock()
    defer { state.unlock() }
    state.value.isAttended = staysAttended
    state.value.mayAnnounceMore = false
    body(&state.value.entries, state.value.holdsItems)
    state.value.holdsItems = false
  }
}
