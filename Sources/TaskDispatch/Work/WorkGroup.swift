/// Counts work that belongs together, and tells when all of it has ended.
///
/// ```swift
/// let group = WorkGroup()
/// for file in files { queue.async(group: group) { digest(file) } }
/// group.notify(on: dispatcher.foreground) { publish() }
/// ```
///
/// A group that has emptied can be used again.
public final class WorkGroup: @unchecked Sendable {
  private struct State {
    var count = 0
    /// Callbacks of ``whenEmpty(_:)``. Each is called once, when the group is empty.
    var observers: [@Sendable () -> Void] = []
    /// Callbacks that wake threads which are blocked until the group is empty: one for each dispatcher, and
    /// one for each thread that waits without a dispatcher.
    var wakers: [Waker] = []
    /// Callbacks that resume a Task, or submit a notification. Each is called once, when the group is empty.
    /// They may call user code: the Task's executor, or an observer.
    var wakes: [@Sendable () -> Void] = []
    /// How often the group has emptied. A waiting thread may re-check only after other work has entered the
    /// group again; this number still tells it that the group was empty.
    var timesEmptied = 0
    /// The number of members: submissions that are in the group.
    var members = 0
    /// The dispatcher of the first of these members. While there are none, that of the first member before.
    var first: Owner?
    /// The other dispatchers that have had members since the first of these members entered.
    var others: [Owner] = []
    /// How often a dispatcher has got its first member in the group.
    var timesJoined = 0
    /// The dispatcher of the last notification.
    var notified: Owner?

    /// Counts a submission to `dispatcher` in.
    ///
    /// - Returns: Whether the dispatcher is new among those that have members.
    mutating func enter(for dispatcher: any DispatcherImplementation) -> Bool {
      count += 1
      members += 1
      let name = ObjectIdentifier(dispatcher)
      if members == 1 {
        // Only for the first member, because a weak reference costs more to assign than all the rest.
        first = Owner(dispatcher)
      } else if others.isEmpty ? first?.name == name : knows(dispatcher) {
        // If it is the only dispatcher, its members keep it alive, and no other dispatcher has its address.
        return false
      } else {
        others.append(Owner(dispatcher))
      }
      timesJoined += 1
      return true
    }

    /// Among several dispatchers, one whose members have all left may no longer exist. So this does not
    /// compare addresses alone.
    private func knows(_ dispatcher: any DispatcherImplementation) -> Bool {
      first?.is(dispatcher) == true || others.contains { $0.is(dispatcher) }
    }
  }

  /// A dispatcher that has or had work of the group.
  ///
  /// Under the group's lock this is copied and compared, but the reference is never loaded: releasing a
  /// loaded reference may call user code. The one exception is ``is(_:)``.
  private struct Owner {
    let name: ObjectIdentifier
    private(set) weak var dispatcher: (any DispatcherImplementation)?

    init(_ dispatcher: any DispatcherImplementation) {
      name = ObjectIdentifier(dispatcher)
      self.dispatcher = dispatcher
    }

    /// Whether this is `other`, and not a former dispatcher that had the same address. The caller keeps
    /// `other` alive. The reference that is loaded is `other` itself, so its release is not the last.
    func `is`(_ other: any DispatcherImplementation) -> Bool {
      name == ObjectIdentifier(other) && dispatcher != nil
    }
  }

  // Guarded by the group's lock, which is one of the locks that a forked child finds free.
  private var state = State()

  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    ItemLock.withLock(of: self) { _ in body(&state) }
  }

  public init() {}

  /// Counts one piece of work in. Any thread. Balance it with ``leave()``.
  public func enter() {
    withState { $0.count += 1 }
  }

  @usableFromInline func enter(for dispatcher: any DispatcherImplementation) {
    let wakers = withState { state in
      let isNew = state.enter(for: dispatcher)
      return isNew && !state.wakers.isEmpty ? state.wakers.filter(\.checks) : []
    }
    // What the threads wait for is another dispatcher's now, too.
    for waker in wakers { waker.wake() }
  }

  /// A waker may outlive its owner, since a wait that ends early leaves it behind.
  fileprivate struct Waker {
    private let name: ObjectIdentifier
    private weak var owner: AnyObject?
    /// Whether it is also called in two other cases: when work ends that does not empty the group and that
    /// the owner may not know of, and when another dispatcher gets its first member in the group.
    let checks: Bool
    let wake: @Sendable () -> Void

    init(of owner: AnyObject, checks: Bool, wake: @escaping @Sendable () -> Void) {
      name = ObjectIdentifier(owner)
      self.owner = owner
      self.checks = checks
      self.wake = wake
    }

    /// Whether `other` has registered it, and not a former object that had the same address. The caller keeps `other`
    /// alive, so no reference that is loaded here is the last.
    func isOf(_ other: AnyObject) -> Bool { name == ObjectIdentifier(other) && owner != nil }
  }

  /// The callbacks to call when a group has emptied. Belongs to the thread that calls them.
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

    /// Wakes and resumes what waits, and calls the observers. Under no lock.
    func tell() {
      wakeThreads()
      resume()
      callObservers()
    }

    /// Wakes the threads that wait. Calls no user code.
    func wakeThreads() { for waker in wakers { waker.wake() } }

    /// Resumes the Tasks and submits the notifications that wait. Calls user code: the Tasks' executors, and
    /// observers.
    func resume() {
      var called: [@Sendable () -> Void] = []
      swap(&called, &wakes)
      for wake in called { wake() }
    }

    /// Calls the observers. It releases them before it returns, whatever else refers to this object.
    ///
    /// Never inlined: the optimiser would release them after what the caller does next.
    @inline(never) func callObservers() {
      var called: [@Sendable () -> Void] = []
      swap(&called, &observers)
      for observer in called { observer() }
    }
  }

  /// Counts a member out, which has ended. Neither calls nor releases user code.
  ///
  /// - Returns: The callbacks to call, if there are any. And whether the group still holds observers:
  ///   releasing the last reference to the group releases them too.
  func leaveAsMember() -> (emptied: Emptied?, holdsObservers: Bool) { leave(members: 1) }

  /// Counts one piece of work out. If it was the last, this calls the observers. Any thread. Traps if nothing
  /// is in the group.
  public func leave() { leave(members: 0).emptied?.tell() }

  private func leave(members: Int) -> (emptied: Emptied?, holdsObservers: Bool) {
    withState { state in
      require(
        state.count > 0, "leave() on an empty group: each leave() needs an enter() before it")
      let isMixed = !state.others.isEmpty
      state.count -= 1
      state.members -= members
      if state.members == 0, isMixed { state.others = [] }
      guard state.count == 0 else {
        // This may have been the last piece of work that was entered by hand, or that belongs to another
        // dispatcher, and so the last that could still end a wait.
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

  /// The number of pieces of work in the group. Any thread.
  public var count: Int { withState { $0.count } }

  /// Submits `body` to `queue` once the group is empty, which may be now. It goes behind the tasks that wait
  /// in `queue` then. Any thread.
  ///
  /// The submission counts against no limit. A shutdown cancels it if the group is still not empty when
  /// nothing else is left.
  ///
  /// - Parameter priority: The band in which `body` waits once the group is empty.
  /// - Returns: Whether it was accepted, which is decided at once.
  @discardableResult
  public func notify(
    on queue: TaskQueue, priority: PriorityBand = .medium, label: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Admission {
    let item = WorkItem.make(
      kind: .notification, queue: queue, label: label,
      site: CallSite(fileID: fileID, line: line), band: priority, body: body)
    withState { $0.notified = Owner(queue.implementation) }
    let admission = queue.implementation.submit(item)
    if admission.isAccepted {
      let dispatcher = queue.implementation
      wakeWhenEmpty { [weak dispatcher] in dispatcher?.release(item) }
    }
    return admission
  }

  /// Suspends the calling Task until the group is empty, which may be now. Cancelling the Task does not end
  /// the wait.
  public func wait() async {
    await withCheckedContinuation { continuation in
      wakeWhenEmpty { continuation.resume() }
    }
  }

  /// Blocks the calling thread until the group is empty, or has been empty since the call began.
  ///
  /// - Parameter timeout: The longest time to wait; for ever if nil.
  /// - Throws: ``WaitRefusal/timedOut``. ``WaitRefusal/wouldDeadlock(chain:)`` if what is in the group waits
  ///   in queues that only the calling thread could free (rule 14). On threads, this does not detect a group
  ///   that was entered by hand and is never left.
  @available(*, noasync, message: "use `await wait()`: this stops the thread")
  public func wait(timeout: Duration? = nil) throws(WaitRefusal) {
    let time = timesEmptied
    let target = WaitTarget.group(self, since: time)
    if let dispatcher { return try dispatcher.wait(for: target, timeout: timeout) }
    let (start, parker) = (monotonicNanoseconds(), Parker())
    // A waker and not an observer, because an observer before it may take its time.
    while whenEmpty(
      wake: { parker.open() }, by: parker, checks: true, since: time)
    {
      let left = timeout.map {
        max(0, max(0, $0.clampedNanoseconds) - (monotonicNanoseconds() - start))
      }
      // A dispatcher that has got its first member since then can find out more.
      if let dispatcher {
        return try dispatcher.wait(for: target, timeout: left.map { .nanoseconds($0) })
      }
      guard parker.wait(nanoseconds: left) else { throw .timedOut }
      parker.close()
    }
  }

  /// The dispatcher through which a thread waits until the group is empty: one that has members in the group,
  /// since it knows what keeps those from ending.
  ///
  /// If there is none, in this order: the dispatcher of the last notification, that of the former first
  /// member, the one that runs the calling code, and the one that has called it back. What such a dispatcher
  /// runs may have to end the wait, and cannot without this thread.
  var dispatcher: (any DispatcherImplementation)? {
    let known = dispatchersOfMembers
    let innermost = Dispatchers.innermost?.foreground.implementation
    // It also knows the tasks that this thread is in.
    if let innermost, known.contains(where: { $0 === innermost }) { return innermost }
    if let last = known.last { return last }
    let (notified, first) = withState { ($0.notified, $0.first) }
    return notified?.dispatcher ?? first?.dispatcher ?? innermost ?? TaskContext.deliverer
  }

  /// Calls `observer` once, when the group is empty: now, or later on the thread that empties it.
  public func whenEmpty(_ observer: @escaping @Sendable () -> Void) {
    call(observer, isWake: false)
  }

  /// Calls `wake` once, when the group is empty, before any observer of the batch that empties it.
  private func wakeWhenEmpty(_ wake: @escaping @Sendable () -> Void) { call(wake, isWake: true) }

  private func call(_ call: @escaping @Sendable () -> Void, isWake: Bool) {
    let isEmpty = withState { state in
      if state.count == 0 { return true }
      if isWake { state.wakes.append(call) } else { state.observers.append(call) }
      return false
    }
    if isEmpty { call() }
  }

  /// Registers `wake`, which wakes threads that are blocked until the group has emptied: it is called once then, before
  /// any observer, on the thread that empties the group, under no lock. For dispatchers whose threads block. Any thread.
  ///
  /// `wake` wakes threads and does no more: other threads and Tasks that wait for the group go on after it. A second
  /// call for the same owner, before `wake` was called, changes nothing, whatever its `checks`. Nothing takes it back:
  /// `wake` may be called when no thread waits any more, and when its owner is gone.
  ///
  /// - Parameters:
  ///   - time: The `since` of ``WaitTarget/group(_:since:)``.
  ///   - owner: The object that registers, such as the dispatcher. It is not kept alive.
  ///   - checks: Whether `wake` is also called, any number of times, by each ``leave()`` that does not empty the group,
  ///     since that may have been what could still end a wait. And when another dispatcher gets its first member in the
  ///     group.
  /// - Returns: False if the group is empty now, or has been empty since then. Then `wake` is not registered.
  public func whenEmpty(
    wake: @escaping @Sendable () -> Void, by owner: AnyObject, checks: Bool, since time: Int
  ) -> Bool {
    withState { state in
      if state.count == 0 || state.timesEmptied != time { return false }
      if !state.wakers.contains(where: { $0.isOf(owner) }) {
        state.wakers.append(Waker(of: owner, checks: checks, wake: wake))
      }
      return true
    }
  }

  package var timesEmptied: Int { withState { $0.timesEmptied } }

  /// Whether the group has emptied since a wait for it began. Other work may have entered it again. Any thread.
  ///
  /// A group in which nothing was when the wait began has not emptied: ``count`` is 0 then.
  ///
  /// - Parameter time: The `since` of ``WaitTarget/group(_:since:)``.
  public func hasEmptied(since time: Int) -> Bool { withState { $0.timesEmptied != time } }

  /// How often a dispatcher has got its first member in the group. If this number changes,
  /// ``dispatchersOfMembers`` may change.
  package var timesJoined: Int { withState { $0.timesJoined } }

  /// The dispatchers of the group's members. Includes those of members that have left while others were in
  /// the group.
  package var dispatchersOfMembers: [any DispatcherImplementation] {
    let owners = withState { state -> [Owner] in
      guard state.members > 0, let first = state.first else { return [] }
      return [first] + state.others
    }
    return owners.compactMap(\.dispatcher)
  }
}
