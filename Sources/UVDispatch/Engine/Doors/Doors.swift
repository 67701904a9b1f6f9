internal import Synchronization
internal import TaskDispatch

/// What threads use without the dispatcher's lock: the inboxes of the lanes, hints for threads that spin, counts that
/// a thread changes after it has freed the lock, and what does not change once other threads see the dispatcher.
///
/// ``Core`` is all the rest, and needs the lock.
///
/// While there is no observer and no shutdown, submitting threads post plain tasks and simple items to an ``Inbox`` for
/// each lane and a ``ViewInbox`` for each view. *Draining* an inbox moves its entries into a queue of the
/// core, under the lock.
final class Doors: @unchecked Sendable {
  /// The inbox of the foreground.
  let foreground: Inbox
  /// The inbox of the background. It also takes in which views have something in theirs.
  let background: Inbox
  /// Whether there is no observer. Then a plain task needs no object, unless a flush or a shutdown has to name it.
  let isSimple: Bool
  /// Names this dispatcher in its items. Set before another thread sees the dispatcher.
  var name = WorkItem.DispatcherName.makeUnique()
  /// The dispatcher. Set once, before another thread sees it.
  var dispatcher = ObjectIdentifier(Doors.self)
  private let origin: Int64
  let recorded: RecordedLanes
  // Not on cache lines of their own: with that, two workers and a producer were slower by a tenth and more.
  let hints = Hints()
  let callbackCounts = CallbackCounts()
  /// How many threads are blocked until a group is empty. Changed under the lock.
  ///
  /// An item enters its group before it stands in a queue. A search for deadlocks between the two moments takes it
  /// for work of another dispatcher. So while this is not 0, a thread that has posted a member takes the lock once
  /// more. A blocked thread counts itself here before it searches. The posting thread posts the member before it
  /// reads this. So one of the two sees the other.
  let awaitingMembers = Atomic(0)
  /// How many submissions were refused without the dispatcher's lock, since their queue was full.
  private let refusals = Atomic(0)
  /// Raised when running bodies should stop.
  let shutdownFlag = ShutdownFlag()

  /// - Parameters:
  ///   - isSimple: Whether there is no observer. Else the inboxes take nothing in.
  ///   - width: The most background bodies that run at a time.
  ///   - overflow: The limit of each lane.
  ///   - origin: The monotonic time that counts as zero, in nanoseconds.
  ///   - recorder: The flight recorder.
  init(
    isSimple: Bool, width: Int, overflow: Overflow, origin: Int64, _ recorder: Recorder? = nil
  ) {
    self.isSimple = isSimple
    recorded = RecordedLanes(recorder)
    self.origin = origin
    foreground = Inbox(isOpen: isSimple, overflow: overflow)
    background = Inbox(isOpen: isSimple, isForTwo: width > 1, overflow: overflow)
  }

  /// The flight recorder. Nil if nothing is recorded.
  @inline(__always) var recorder: Recorder? { recorded.recorder }

  // MARK: Limits

  /// The limit of a queue; nil if it has none.
  ///
  /// - Parameter view: The view, or nil for the lane itself.
  @inline(__always) func flow(of lane: Lane, _ view: UVView?) -> FlowControl? {
    if let view { return view.flow }
    return lane == .foreground ? foreground.flow : background.flow
  }

  /// Takes a credit for a submission that comes in by the dispatcher's lock, which the calling thread holds.
  ///
  /// - Returns: False if the queue is full.
  func takeCredit(for lane: Lane, _ view: UVView?) -> Bool {
    if let view { return view.inbox.takeCredit() }
    return lane == .foreground ? foreground.takeCredit() : background.takeCredit()
  }

  /// A queue was full, and a plain task is refused without the dispatcher's lock.
  func noteRefusal() { refusals.add(1, ordering: .relaxed) }

  /// How many submissions were refused without the dispatcher's lock.
  var refusalsWithoutLock: Int { refusals.load(ordering: .relaxed) }

  /// Nanoseconds since the dispatcher was made, exact to some milliseconds. Cheap to read.
  var recentTime: Int64 { max(0, recentMonotonicNanoseconds() - origin) }

  // MARK: Posting an item

  /// Whether an item is simple: it runs in its thread's context, and needs no task object unless code asks for one.
  @inline(__always) func isSimple(_ item: WorkItem) -> Bool { isSimple && item.isSimple }

  /// Posts an item to the inbox of its queue, if the item may wait among plain tasks. The submitting thread calls this
  /// without the lock.
  ///
  /// - Returns: What the caller has to do next. ``ViewInbox/Begun/isRefused`` also if the item may not wait among plain
  ///   tasks, or its lane is full; then nothing has changed.
  @inline(__always)
  func post(_ item: WorkItem, to view: UVView?, parent: UInt64?) -> ViewInbox.Begun {
    guard let recorder else { return postUnrecorded(item, to: view, parent: parent) }
    let ticks = ThreadRings.ticks
    // Until it has a number: see ``RecordedEvent/Kind/itemNumbered``.
    item.place.id = TaskID(ticks)
    let begun = postUnrecorded(item, to: view, parent: parent)
    if begun != .isRefused { recorder.notePost(of: item, parent: parent, at: ticks) }
    return begun
  }

  @inline(__always) private func postUnrecorded(
    _ item: WorkItem, to view: UVView?, parent: UInt64?
  ) -> ViewInbox.Begun {
    guard isSimple(item), item.band == .medium || item.lane == .foreground else {
      return .isRefused
    }
    // What a limit does not count takes no credit, and comes in by the dispatcher's lock. It is rare.
    if !item.countsAgainstLimits, flow(of: item.lane, view) != nil { return .isRefused }
    if let view {
      let begun = beginPost(to: view)
      if begun == .isRefused || begun == .isFull { return .isRefused }
      prepare(item, parent: parent)
      view.inbox.post(item: item)
      return begun
    }
    if item.lane == .foreground {
      guard foreground.beginPost() == .open else { return .isRefused }
      prepare(item, parent: parent)
      return foreground.post(item: item) ? .mustNotify : .isNotified
    }
    guard background.beginPost() == .open else { return .isRefused }
    prepare(item, parent: parent)
    return background.post(item: item) ? .mustNotify : .isNotified
  }

  /// Begins a post to a view, which ``ViewInbox/post(_:)`` or ``ViewInbox/post(item:)`` ends. It marks the view ready if
  /// that is needed.
  @inline(__always) func beginPost(to view: UVView) -> ViewInbox.Begun {
    view.inbox.beginPost {
      background.markReady(view)
    } notifyForMore: {
      background.notifyForMore()
    }
  }

  /// Writes the place of an item, under the lock of its inbox. Until the item is there, no other thread looks at its
  /// place: see ``WorkItem/stage``.
  private func prepare(_ item: WorkItem, parent: UInt64?) {
    item.placeIsIn = name
    item.place.parent = parent ?? 0
    item.place.since = DispatcherInstant(nanoseconds: recentTime)
  }
}

/// Hints for threads that do not hold the lock. An old value is as good as a look a moment earlier: each reader looks
/// again under the lock before it gives up its thread or sleeps, and no hint is the only way by which work is found.
struct Hints: ~Copyable {
  private let mayStart = Atomic(false)
  private let loopIsTold = Atomic(false)
  /// In nanoseconds; `min` if the loop's thread has begun an iteration since.
  private let wokenForPostsAt = Atomic(Int64.min)

  /// Whether a task may start on a worker. Worker runs read it while they spin.
  @inline(__always) var taskMayStart: Bool { mayStart.load(ordering: .relaxed) }

  /// Says whether a task may start on a worker. Under the lock.
  @inline(__always) func setTaskMayStart(_ new: Bool) { mayStart.store(new, ordering: .relaxed) }

  /// The hint of ``LoopWakeups/State/told``. The loop's thread reads it while it spins.
  @inline(__always) var loopMustLook: Bool { loopIsTold.load(ordering: .relaxed) }

  /// Sets or clears the hint for the loop's thread. Under the lock.
  func setLoopMustLook(_ new: Bool) { loopIsTold.store(new, ordering: .relaxed) }

  /// A post is about to wake the loop. The submitting thread calls this, without the lock.
  func noteWakeForPosts(at time: Int64) { wokenForPostsAt.store(time, ordering: .relaxed) }

  /// When a post last woke the loop, in nanoseconds. Nil if none has since ``takeWakeForPosts()``.
  var wakeForPosts: Int64? {
    let time = wokenForPostsAt.load(ordering: .relaxed)
    return time == .min ? nil : time
  }

  /// Takes out when a post last woke the loop. The loop's thread, as it begins an iteration.
  func takeWakeForPosts() -> Int64? {
    let time = wokenForPostsAt.exchange(.min, ordering: .relaxed)
    return time == .min ? nil : time
  }
}

/// The threads that make deferred callbacks (``DeferredCallbacks``), and the parties that wait for those.
struct CallbackCounts: ~Copyable {
  /// How many threads make deferred callbacks now. A thread adds itself under the lock, and subtracts itself without
  /// it.
  private let threads = Atomic(0)
  /// How many of these threads, while there is a shutdown, have not sent all the wakes and resumed all the Tasks that
  /// were deferred: that may bring work. Changes under the lock or without it, as ``threads`` does.
  private let wakingAtTheEnd = Atomic(0)
  /// How many parties check under the lock for what deferred callbacks bring, or for their end. A party is a blocked
  /// thread that the search for deadlocks looks at, a shutdown, or a loop that ends when it is idle. Changed under
  /// the lock.
  ///
  /// While it is not 0, a thread that has made its callbacks takes the lock once more, so that the parties check
  /// again. A party counts itself here before it checks. The thread subtracts itself from ``threads`` before it
  /// reads this. So one of the two sees the other.
  let parties = Atomic(0)

  /// The calling thread is about to make callbacks. Under the lock.
  func begin() { threads.add(1, ordering: .relaxed) }

  /// The calling thread has made its callbacks. Called without the lock.
  ///
  /// - Returns: Whether the thread has to take the lock once more, since a party waits for that.
  @inline(__always) func end() -> Bool {
    threads.subtract(1, ordering: .sequentiallyConsistent)
    return parties.load(ordering: .sequentiallyConsistent) > 0
  }

  /// How many threads make callbacks now. For parties: see ``addParty()``.
  var count: Int { threads.load(ordering: .sequentiallyConsistent) }

  /// The calling thread, which is about to make callbacks during a shutdown, has to wake threads and to resume Tasks
  /// first. Under the lock.
  func beginWakingAtTheEnd() { wakingAtTheEnd.add(1, ordering: .relaxed) }

  /// The calling thread has woken the threads and resumed the Tasks. Without the lock.
  func endWakingAtTheEnd() { wakingAtTheEnd.subtract(1, ordering: .releasing) }

  /// Whether threads that woken threads or resumed Tasks may bring work from are not all woken or resumed.
  var areWakingAtTheEnd: Bool { wakingAtTheEnd.load(ordering: .acquiring) > 0 }

  /// A party begins to check for what deferred callbacks bring. Under the lock.
  func addParty() { parties.add(1, ordering: .sequentiallyConsistent) }

  func removeParty() { parties.subtract(1, ordering: .sequentiallyConsistent) }
}
