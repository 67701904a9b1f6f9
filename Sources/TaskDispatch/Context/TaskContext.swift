internal import Synchronization

/// The running-task context of a body: its queue, and its task. For dispatchers.
///
/// A dispatcher runs each body inside a context, on the thread that runs the body. ``TaskQueue/isCurrent``,
/// ``CurrentTask``, ``Confined`` and the search for deadlocks find out from it where the calling code runs.
/// Contexts nest: the context of a `sync` body stands on that of its caller.
///
/// While its body runs, a context belongs to one thread. A dispatcher may subclass it to keep more about the
/// task, and may make it as early as it likes.
open class TaskContext {
  // Only its dispatcher changes these, while nothing runs in the context. The dispatcher's lock keeps two
  // threads from changing it at the same time, so no check at run time is needed. Code of other modules would
  // make that check all the same, unless it uses the properties below.
  @safe @exclusivity(unchecked) @usableFromInline final var heldQueue: TaskQueue.Identity
  @safe @exclusivity(unchecked) @usableFromInline final var heldSite: CallSite
  @safe @exclusivity(unchecked) @usableFromInline final var heldItem: WorkItem?
  let shutdown: ShutdownFlag?
  /// Its place among the contexts of the thread that runs it. Nil while no thread does.
  var link: ThreadContexts.Link?
  /// The thread that runs it, or that has run something in it last. It changes in ``enter(by:hidesOuter:)``.
  @safe @exclusivity(unchecked) package final internal(set) var thread = ThreadID()

  /// - Parameter shutdown: The flag that the dispatcher raises when running bodies should stop.
  public init(
    queue: TaskQueue.Identity, site: CallSite, item: WorkItem? = nil,
    shutdown: ShutdownFlag? = nil
  ) {
    heldQueue = queue
    heldSite = site
    heldItem = item
    self.shutdown = shutdown
  }

  /// The queue that the task was submitted to.
  @inlinable final public var queue: TaskQueue.Identity { heldQueue }

  /// Where the task was submitted.
  @inlinable final public var site: CallSite { heldSite }

  /// The item of the task. Nil for a plain body.
  @inlinable final public var item: WorkItem? { heldItem }

  /// Makes this the context of another task. Nothing may run in it.
  @inlinable @inline(__always)
  package final func adopt(_ item: WorkItem?, of queue: TaskQueue.Identity, at site: CallSite) {
    heldQueue = queue
    heldSite = site
    heldItem = item
  }

  /// Makes this the context of another item of its queue. Nothing may run in it.
  @inlinable @inline(__always)
  package final func adopt(next item: consuming WorkItem, at site: CallSite) {
    heldSite = site
    heldItem = item
  }

  /// Whether the task has an item. Asking does not touch the item's reference count.
  @inlinable package final var holdsItem: Bool { @inline(__always) get { heldItem != nil } }

  /// Makes the item, if there is one, forget that this is its context. For its dispatcher.
  @inlinable @inline(__always) package final func forgetInItem() { heldItem?.queued = nil }

  /// Makes this the context of another plain body of its queue. Nothing may run in it.
  @inlinable @inline(__always) package final func adopt(plainAt site: CallSite) { heldSite = site }

  /// Makes this the context of a task without an item. It must have no item, and nothing may run in it.
  @inlinable @inline(__always)
  package final func adopt(noItemOf queue: TaskQueue.Identity, at site: CallSite) {
    assert(heldItem == nil, "the context would lose its item")
    heldQueue = queue
    heldSite = site
  }

  /// Releases the item. Nothing may run in it.
  @inlinable @inline(__always) package final func letGo() { heldItem = nil }

  /// Takes the item out, after its task has ended. Nothing may run in it.
  @inlinable @inline(__always) package final func takeItem() -> WorkItem? { heldItem.take() }

  /// The label of the task. Nil if it has none.
  open var label: String? { item?.label }

  /// The label of the queue, for messages. Override it for queues that have labels of their own.
  open var queueLabel: String { queue.lane.description }

  /// Whether the body is a job of a Swift Task.
  open var isSwiftTask: Bool { false }

  /// Runs `body` on this thread as the task of this context.
  ///
  /// - Parameters:
  ///   - dispatcher: The current dispatcher while `body` runs.
  ///   - hidesOuter: Whether `body` must not rely on the contexts below. That is so if a worker is blocked in
  ///     one task, and runs another on top of it.
  public final func run<Result, Failure: Error>(
    by dispatcher: any DispatcherImplementation, hidesOuter: Bool = false,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    enter(by: dispatcher, hidesOuter: hidesOuter)
    defer { leave() }
    return try body()
  }

  /// Begins what ``run(by:hidesOuter:_:)`` does. The caller keeps the context and `dispatcher` alive until it
  /// has called ``leave()``, on this thread.
  @inline(__always)
  package final func enter(by dispatcher: any DispatcherImplementation, hidesOuter: Bool = false) {
    ThreadContexts.push(self, by: dispatcher, hidesOuter: hidesOuter)
  }

  package final func leave() { ThreadContexts.pop(self) }

  /// Runs `body` on this thread as the task of this context, as if the context stood directly on `base`, a
  /// context of this thread. So `body` behaves as it would if `base` were on a thread of its own.
  package final func run<Result>(
    by dispatcher: any DispatcherImplementation, above base: TaskContext?, _ body: () -> Result
  ) -> Result {
    let former = ThreadContexts.push(self, by: dispatcher, above: base)
    defer { ThreadContexts.pop(self, to: former) }
    return body()
  }

  /// The running-task context that the calling code is in. Nil if it is in no task.
  public static var current: TaskContext? {
    ThreadContexts.isOutsideTasks ? nil : ThreadContexts.innermost
  }

  /// Whether the running body may rely on a context of `queue`.
  public static func isRunning(_ queue: TaskQueue.Identity) -> Bool {
    isRunning { $0.queue == queue }
  }

  /// Whether the running body may rely on a context for which `matches` is true.
  package static func isRunning(where matches: (TaskContext) -> Bool) -> Bool {
    var isHidden = ThreadContexts.isOutsideTasks
    return ThreadContexts.first { context in
      guard !isHidden else { return false }
      isHidden = context.link?.hidesOuter == true
      return matches(context)
    } != nil
  }

  /// Every context of this thread, the innermost first. It includes contexts that the running body must not
  /// rely on.
  public static var stack: [TaskContext] {
    var contexts: [TaskContext] = []
    _ = ThreadContexts.first { context in
      contexts.append(context)
      return false
    }
    return contexts
  }

  /// The first context of this thread, from the innermost outwards, for which `matches` is true. It includes
  /// contexts that the running body must not rely on.
  package static func first(where matches: (TaskContext) -> Bool) -> TaskContext? {
    ThreadContexts.first(where: matches)
  }

  /// Runs `body`, in which a dispatcher calls user code and releases what it holds.
  ///
  /// - Parameter outsideTasks: Whether `body` is in no task, whatever this thread runs. If false, `body` is
  ///   in the task of the calling code.
  package static func delivering(
    for dispatcher: any DispatcherImplementation, outsideTasks: Bool, _ body: () -> Void
  ) {
    ThreadContexts.delivering(for: dispatcher, outsideTasks: outsideTasks, body)
  }

  /// Whether the calling code is in no task, whatever this thread runs.
  package static var isOutsideTasks: Bool { ThreadContexts.isOutsideTasks }

  /// How many calls back of `dispatcher` the calling thread is in: nested calls of
  /// ``Endings/tell(for:outsideTasks:_:)``. What it submits in one is the dispatcher's own work (rule 13).
  public static func deliveries(for dispatcher: ObjectIdentifier) -> Int {
    ThreadContexts.deliveries(for: dispatcher)
  }

  /// The dispatcher that has called the calling code back, in the innermost call of
  /// ``delivering(for:outsideTasks:_:)``. Nil if there is none.
  static var deliverer: (any DispatcherImplementation)? { ThreadContexts.deliverer }

  /// The calling thread. A system call the first time on each thread.
  package static var callingThread: ThreadID { ThreadContexts.thread }

  /// Which dispatcher the calling thread is named after. That dispatcher sets it.
  package static var threadIsNamedAfter: WorkItem.DispatcherName {
    get { ThreadContexts.namedAfter }
    set { ThreadContexts.namedAfter = newValue }
  }

  /// The dispatcher whose worker run the calling thread is in, or nil. That dispatcher sets it.
  package static var threadWorksFor: (any DispatcherImplementation)? {
    get { ThreadContexts.worksFor }
    set { ThreadContexts.worksFor = newValue }
  }

  /// Whether a dispatcher blocks the calling thread, which may run something on top of its wait. That
  /// dispatcher sets it.
  package static var threadIsBlocked: Bool {
    get { ThreadContexts.isBlocked }
    set { ThreadContexts.isBlocked = newValue }
  }

  /// Whether the calling thread is about to release dispatchers that it does no work for. A dispatcher sets
  /// it.
  ///
  /// If the thread releases the last reference to a dispatcher, the user code that this calls runs on a
  /// thread of its own, if the system provides one.
  package static var threadReleases: Bool {
    get { ThreadContexts.isReleasing }
    set { ThreadContexts.isReleasing = newValue }
  }

  /// The name that messages use: the label, else the file and line.
  public var name: String { label.map { "\"\($0)\"" } ?? "\(site)" }
}

/// A flag that is raised once, when a shutdown asks the bodies that still run to stop. Any thread.
public final class ShutdownFlag: Sendable {
  private let raised = Atomic(false)

  public init() {}

  /// Raises the flag. It stays raised.
  public func raise() { raised.store(true, ordering: .releasing) }
  /// Whether the flag was raised: whatever the raising thread did before that is visible then.
  public var isRaised: Bool { raised.load(ordering: .acquiring) }
}
