/// Counts work that belongs together, and tells when all of it has ended.
///
/// ```swift
/// let group = WorkGroup()
/// for file in files { queue(group: group) { digest(file) } }
/// group.notify(on: dispatcher.foreground) { publish() }
/// ```
///
/// A group that has emptied can be used again.
public final class WorkGroup: @unchecked Sendable {
  private struct State {
    var count = 0
    /// Each called once, when the group is empty.
    var observers: [@Sendable () -> Void] = []
    /// Wakes threads that are blocked until the group is empty: one for each dispatcher, and for each thread that
    /// waits without one.
    var wakers: [Waker] = []
    /// Each called once, when the group is empty: resumes a Task, or submits a notification. They may run user code:
    /// the Task's executor, or an observer.
    var wakes: [@Sendable () -> Void] = []
    /// Who waits may look only when it has been entered again.
    var timesEmptied = 0
    /// Submissions that are in.
    var members = 0
    /// The dispatcher that the first of them was made to; of those before, if none is in.
    var first: Owner?
    /// The other dispatchers that have had members in since then.
    var others: [Owner] = []
    /// How often a dispatcher had its first member in.
    var timesJoined = 0
    /// The dispatcher of the last notification.
    var notified: Owner?

    /// - Returns: Whether the dispatcher had no members in it.
    mutating func enter(for dispatcher: any TaskDispatcher) -> Bool {
      count += 1
      members += 1
      let name = ObjectIdentifier(dispatcher)
      if members == 1 {
        // A weak reference costs more to assign than all the rest.
        first = Owner(dispatcher)
      } else if others.isEmpty ? first?.name == name : knows(dispatcher) {
        // If it is the only one, its members keep it alive, and no other has its address.
        return false
      } else {
        others.append(Owner(dispatcher))
      }
      timesJoined += 1
      return true
    }

    /// Of several, one whose members have all left may be gone.
    private func knows(_ dispatcher: any TaskDispatcher) -> Bool {
      first?.is(dispatcher) == true || others.contains { $0.is(dispatcher) }
    }
  }

  /// A dispatcher that was given something. Under the lock it is copied and compared, and never loaded: to release
  /// it may run user code. The one exception is ``is(_:)``.
  private struct Owner {
    let name: ObjectIdentifier
    private(set) weak var dispatcher: (any TaskDispatcher)?

    init(_ dispatcher: any TaskDispatcher) {
      name = ObjectIdentifier(dispatcher)
      self.dispatcher = dispatcher
    }

    /// Whether it is `other`, which the calling code holds, and not one that is gone and had the same address. What
    /// is loaded is `other` itself, so its release is not the last.
    func `is`(_ other: any TaskDispatcher) -> Bool {
      name == ObjectIdentifier(other) && dispatcher != nil
    }
  }

  // Touched under the group's lock: one of those that a forked child finds free.
  private var state = State()

  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    ItemLock.withLock(of: self) { _ in body(&state) }
  }

  public init() {}

  /// Counts one piece of work in. Any thread. Balance it with ``leave()``.
  public func enter() {
    withState { $0.count += 1 }
  }

  @usableFromInline func enter(for dispatcher: any TaskDispatcher) {
    let wakers = withState { state in
      let isNew = state.enter(for: dispatcher)
      return isNew && !state.wakers.isEmpty ? state.wakers.filter(\.checks) : []
    }
    // What the threads wait for is another dispatcher's now, too.
    for waker in wakers { waker.wake() }
  }

  fileprivate struct Waker {
    let owner: ObjectIdentifier
    /// Whether it is called as well when work ends that does not empty the group, and that the owner may not
    /// know of, and when another dispatcher has its first member in it.
    let checks: Bool
    let wake: @Sendable () -> Void
  }

  /// What is to be called when a group has emptied. Belongs to the thread that tells.
  final class Emptied {
    private var observers: [@Sendable () -> Void]
    private let wakers: [Waker]
    private var wakes: [@Sendable () -> Void]

    fileprivate init(
      observers: [@Sendable () -> Void] = [], wakers: [Waker], wakes: [@Sendable () -> Void] = []
    ) {
      self.observers = observers
      self.wakers = wakers
      self.wakes = wakes
    }

    /// Lets go on what waits, and calls the observers. Under no lock.
    func tell() {
      wakeThreads()
      resume()
      callObservers()
    }

    /// Lets go on the threads that wait. It runs no user code.
    func wakeThreads() { for waker in wakers { waker.wake() } }

    /// Lets go on the Tasks and the notifications that wait. It runs user code: the Tasks' executors, and observers.
    func resume() {
      var called: [@Sendable () -> Void] = []
      swap(&called, &wakes)
      for wake in called { wake() }
    }

    /// Calls the observers, and releases them before it returns, whatever else refers to this object.
    ///
    /// Never inlined: the optimiser would release them after what the caller does next.
    @inline(never) func callObservers() {
      var called: [@Sendable () -> Void] = []
      swap(&called, &observers)
      for observer in called { observer() }
    }
  }

  /// Counts a submission out that has ended. Calls no user code, and releases none.
  ///
  /// - Returns: What is to be called, if this has emptied the group and anything is; and whether the group
  ///   holds observers still, which go with it if the caller held it last.
  func leaveAsMember() -> (emptied: Emptied?, holdsObservers: Bool) { leave(members: 1) }

  /// Counts one piece of work out, and calls the observers if that was the last. Any thread. Traps if
  /// nothing is in.
  public func leave() { leave(members: 0).emptied?.tell() }

  private func leave(members: Int) -> (emptied: Emptied?, holdsObservers: Bool) {
    withState { state in
      require(state.count > 0, "leave() on a group that nobody has entered")
      let isMixed = !state.others.isEmpty
      state.count -= 1
      state.members -= members
      if state.members == 0, isMixed { state.others = [] }
      guard state.count == 0 else {
        // The last that was in by hand, or in another dispatcher, may have been what could still end a wait.
        let wakers = members == 0 || isMixed ? state.wakers.filter(\.checks) : []
        let emptied = wakers.isEmpty ? nil : Emptied(wakers: wakers)
        return (emptied, !state.observers.isEmpty || !state.wakes.isEmpty)
      }
      state.timesEmptied += 1
      if state.observers.isEmpty, state.wakers.isEmpty, state.wakes.isEmpty { return (nil, false) }
      defer {
        state.observers = []
        state.wakers = []
        state.wakes = []
      }
      return (
        Emptied(observers: state.observers, wakers: state.wakers, wakes: state.wakes), false
      )
    }
  }

  /// How many pieces of work are in.
  public var count: Int { withState { $0.count } }

  /// Submits `body` to `queue` once the group is empty, which may be now: behind what stands in the
  /// queue at that time.
  ///
  /// The submission is accepted or refused at once, and counts against no limit. A shutdown cancels
  /// it if the group is not empty when nothing else is left.
  @discardableResult
  public func notify(
    on queue: TaskQueue, priority: TaskPriority? = nil, label: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Admission {
    let item = WorkItem.make(
      kind: .notification, queue: queue, label: label,
      site: queue.site(priority, fileID, line), body: body)
    withState { $0.notified = Owner(queue.dispatcher) }
    let admission = queue.dispatcher.submit(item)
    if admission.isAccepted {
      let dispatcher = queue.dispatcher
      wakeWhenEmpty { [weak dispatcher] in dispatcher?.release(item) }
    }
    return admission
  }

  /// Suspends until the group is empty, which may be now. Cancelling the Task does not end it.
  public func wait() async {
    await withCheckedContinuation { continuation in
      wakeWhenEmpty { continuation.resume() }
    }
  }

  /// Stands still until the group is empty, if only until somebody enters it again.
  ///
  /// - Parameter timeout: How long to wait at most; for ever if nil.
  /// - Throws: ``WaitRefusal/timedOut``; ``WaitRefusal/wouldDeadlock(chain:)`` if what is in the
  ///   group stands in queues that only this thread could free (rule 14). A group that somebody
  ///   entered by hand and never leaves is not detected on threads.
  @available(*, noasync, message: "use `await wait()`: this stops the thread")
  public func wait(timeout: Duration? = nil) throws(WaitRefusal) {
    let time = timesEmptied
    let target = WaitTarget.group(self, since: time)
    if let dispatcher { return try dispatcher.wait(for: target, timeout: timeout) }
    let (start, parker) = (monotonicNanoseconds(), Parker())
    // Not as an observer: another one may take its time before it.
    while whenEmpty(
      wake: { parker.open() }, by: ObjectIdentifier(parker), checks: true, since: time)
    {
      let left = timeout.map {
        max(0, max(0, $0.clampedNanoseconds) - (monotonicNanoseconds() - start))
      }
      // One that has had its first member in since can tell more.
      if let dispatcher {
        return try dispatcher.wait(for: target, timeout: left.map { .nanoseconds($0) })
      }
      guard parker.wait(nanoseconds: left) else { throw .timedOut }
      parker.close()
    }
  }

  /// What a thread waits by that is to be blocked until the group is empty: a dispatcher that has members in it,
  /// which knows what keeps those.
  ///
  /// If there is none, the last that was given something, and then the one that runs the calling code or calls it
  /// back: what that runs may have to end the wait, and cannot without this thread.
  var dispatcher: (any TaskDispatcher)? {
    let known = dispatchersOfMembers
    let innermost = Dispatchers.innermost
    // It knows the tasks as well that this thread is in.
    if let innermost, known.contains(where: { $0 === innermost }) { return innermost }
    if let last = known.last { return last }
    let (notified, first) = withState { ($0.notified, $0.first) }
    return notified?.dispatcher ?? first?.dispatcher ?? innermost ?? TaskFrame.deliverer
  }

  /// Calls `observer` once, when the group is empty: now, or on the thread that empties it.
  public func whenEmpty(_ observer: @escaping @Sendable () -> Void) {
    call(observer, isWake: false)
  }

  /// As ``whenEmpty(_:)``, before all that is told of the batch that the group has emptied in.
  private func wakeWhenEmpty(_ wake: @escaping @Sendable () -> Void) { call(wake, isWake: true) }

  private func call(_ call: @escaping @Sendable () -> Void, isWake: Bool) {
    let isEmpty = withState { state in
      if state.count == 0 { return true }
      if isWake { state.wakes.append(call) } else { state.observers.append(call) }
      return false
    }
    if isEmpty { call() }
  }

  /// Has `wake` called once when the group has emptied, under no lock. Called again for the same owner before
  /// that, it changes nothing.
  ///
  /// - Parameter checks: Whether it is called by each ``leave()`` as well that does not empty the group: that may
  ///   have been what could still end a wait. And when another dispatcher has its first member in it.
  ///
  /// - Parameter time: What ``timesEmptied`` was when the wait began.
  /// - Returns: False if the group is empty now, or has been since then.
  package func whenEmpty(
    wake: @escaping @Sendable () -> Void, by owner: ObjectIdentifier, checks: Bool, since time: Int
  ) -> Bool {
    withState { state in
      if state.count == 0 || state.timesEmptied != time { return false }
      if !state.wakers.contains(where: { $0.owner == owner }) {
        state.wakers.append(Waker(owner: owner, checks: checks, wake: wake))
      }
      return true
    }
  }

  package var timesEmptied: Int { withState { $0.timesEmptied } }

  /// Whether the group has been empty since it had emptied `time` times, whoever has entered it again.
  package func hasEmptied(since time: Int) -> Bool { withState { $0.timesEmptied != time } }

  /// How often a dispatcher had its first member in: another number, and ``dispatchersOfMembers`` may be others.
  package var timesJoined: Int { withState { $0.timesJoined } }

  /// The dispatchers of its members, and those of members that have left it while others were in.
  package var dispatchersOfMembers: [any TaskDispatcher] {
    let owners = withState { state -> [Owner] in
      guard state.members > 0, let first = state.first else { return [] }
      return [first] + state.others
    }
    return owners.compactMap(\.dispatcher)
  }
}
