internal import Synchronization

/// A body that is running on this thread: which queue's, and which task's. For dispatchers.
///
/// A dispatcher runs each body inside a frame, on the thread that runs the body. That is how
/// ``TaskQueue/isCurrent``, ``CurrentTask``, ``Confined`` and the search for deadlocks know where
/// they are. Frames nest: a `sync` body stands on the frame of its caller.
///
/// Belongs to one thread while it runs. A dispatcher may subclass it to keep more about the task, and
/// may make it as early as it likes.
open class TaskFrame {
  // Changed by its dispatcher alone, while nothing runs in it: what keeps two from changing it at a
  // time is that dispatcher's lock, so no check at run time has to. Other modules would make one all
  // the same, if they did not come by the properties below.
  @safe @exclusivity(unchecked) @usableFromInline final var heldQueue: TaskQueue.Identity
  @safe @exclusivity(unchecked) @usableFromInline final var heldSite: CallSite
  @safe @exclusivity(unchecked) @usableFromInline final var heldItem: WorkItem?
  let shutdown: ShutdownFlag?
  /// Its place on the thread that runs it; nil while none does.
  var link: ThreadFrames.Link?

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

  /// The queue whose turn it is.
  @inlinable final public var queue: TaskQueue.Identity { heldQueue }

  /// Where the task was submitted.
  @inlinable final public var site: CallSite { heldSite }

  /// The task, if it is more than a plain body.
  @inlinable final public var item: WorkItem? { heldItem }

  /// Makes it the frame of another task. Nothing runs in it.
  @inlinable @inline(__always)
  package final func hold(_ item: WorkItem?, of queue: TaskQueue.Identity, at site: CallSite) {
    heldQueue = queue
    heldSite = site
    heldItem = item
  }

  /// Makes it the frame of another task of its queue. Nothing runs in it.
  @inlinable @inline(__always)
  package final func hold(next item: consuming WorkItem, at site: CallSite) {
    heldSite = site
    heldItem = item
  }

  /// Whether it is the frame of a task that is more than a plain body: asked without counting that.
  @inlinable package final var holdsItem: Bool { @inline(__always) get { heldItem != nil } }

  /// Lets its task, if it has one, forget for a dispatcher that this is the frame of it.
  @inlinable @inline(__always) package final func forgetInItem() { heldItem?.queued = nil }

  /// Makes it the frame of another plain body of its queue. Nothing runs in it.
  @inlinable @inline(__always) package final func hold(plainAt site: CallSite) { heldSite = site }

  /// Makes it the frame of a task that is no item. It holds none, and nothing runs in it.
  @inlinable @inline(__always)
  package final func hold(noItemOf queue: TaskQueue.Identity, at site: CallSite) {
    assert(heldItem == nil, "a frame would lose its item")
    heldQueue = queue
    heldSite = site
  }

  /// Lets go of its task. Nothing runs in it.
  @inlinable @inline(__always) package final func letGo() { heldItem = nil }

  /// Hands over its task, which has ended. Nothing runs in it.
  @inlinable @inline(__always) package final func takeItem() -> WorkItem? { heldItem.take() }

  /// The label of the task, or nil if it has none.
  open var label: String? { item?.label }

  /// The label of the queue, for messages. Override it for queues that have one of their own.
  open var queueLabel: String { queue.lane.description }

  /// Whether the body is a job of a Swift Task.
  open var isSwiftTask: Bool { false }

  /// Runs `body` on this thread as the task of this frame.
  ///
  /// - Parameters:
  ///   - dispatcher: Becomes the current one for `body`.
  ///   - hidesOuter: Whether the body cannot rely on the frames below: a worker that waits in one
  ///     task and runs another meanwhile.
  public final func run<Result, Failure: Error>(
    by dispatcher: any TaskDispatcher, hidesOuter: Bool = false,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    enter(by: dispatcher, hidesOuter: hidesOuter)
    defer { leave() }
    return try body()
  }

  /// Begins what ``run(by:hidesOuter:_:)`` does. The caller holds the frame and `dispatcher` until it
  /// has called ``leave()``, on this thread.
  @inline(__always)
  package final func enter(by dispatcher: any TaskDispatcher, hidesOuter: Bool = false) {
    ThreadFrames.push(self, by: dispatcher, hidesOuter: hidesOuter)
  }

  package final func leave() { ThreadFrames.pop(self) }

  /// As ``run(by:hidesOuter:_:)``, as if it stood on `base`, a frame of this thread, and on nothing
  /// between: what that frame's body would do on a thread of its own.
  package final func run<Result>(
    by dispatcher: any TaskDispatcher, standingOn base: TaskFrame?, _ body: () -> Result
  ) -> Result {
    let former = ThreadFrames.push(self, by: dispatcher, standingOn: base)
    defer { ThreadFrames.pop(self, to: former) }
    return body()
  }

  /// The frame of the task that the calling code is in, or nil.
  public static var current: TaskFrame? {
    ThreadFrames.isOutsideTasks ? nil : ThreadFrames.innermost
  }

  /// Whether a frame that the running body may rely on is one of `queue`.
  public static func isRunning(_ queue: TaskQueue.Identity) -> Bool {
    isRunning { $0.queue == queue }
  }

  /// Whether a frame that the running body may rely on `matches`.
  package static func isRunning(where matches: (TaskFrame) -> Bool) -> Bool {
    var isHidden = ThreadFrames.isOutsideTasks
    return ThreadFrames.first { frame in
      guard !isHidden else { return false }
      isHidden = frame.link?.hidesOuter == true
      return matches(frame)
    } != nil
  }

  /// Every frame of this thread, the innermost first, those that cannot be relied on included.
  public static var stack: [TaskFrame] {
    var frames: [TaskFrame] = []
    _ = ThreadFrames.first { frame in
      frames.append(frame)
      return false
    }
    return frames
  }

  /// The first frame of this thread, from the innermost outwards, that `matches`; those that cannot be
  /// relied on included.
  package static func first(where matches: (TaskFrame) -> Bool) -> TaskFrame? {
    ThreadFrames.first(where: matches)
  }

  /// Runs `body`, in which a dispatcher calls back into user code and releases what it holds.
  ///
  /// - Parameter outsideTasks: Whether `body` is in no task, whatever this thread runs. If not, it is in
  ///   the task of the code that calls.
  package static func delivering(
    for dispatcher: any TaskDispatcher, outsideTasks: Bool, _ body: () -> Void
  ) {
    ThreadFrames.delivering(for: dispatcher, outsideTasks: outsideTasks, body)
  }

  /// Whether the calling code is in no task, whatever this thread runs.
  package static var isOutsideTasks: Bool { ThreadFrames.isOutsideTasks }

  /// How many calls of ``delivering(for:outsideTasks:_:)`` for `dispatcher` this thread is in.
  package static func deliveries(for dispatcher: ObjectIdentifier) -> Int {
    ThreadFrames.deliveries(for: dispatcher)
  }

  /// The dispatcher that calls the calling code back: of the innermost call of
  /// ``delivering(for:outsideTasks:_:)``. Nil if none does.
  static var deliverer: (any TaskDispatcher)? { ThreadFrames.deliverer }

  /// The dispatcher whose worker run the calling thread is in, or nil. Its dispatcher sets it.
  package static var threadWorksFor: (any TaskDispatcher)? {
    get { ThreadFrames.worksFor }
    set { ThreadFrames.worksFor = newValue }
  }

  /// Whether the calling thread is blocked, and runs something on top of its wait. The dispatcher that blocks it sets
  /// it.
  package static var threadIsBlocked: Bool {
    get { ThreadFrames.isBlocked }
    set { ThreadFrames.isBlocked = newValue }
  }

  /// Whether the calling thread is about to release dispatchers that it has no other part in: one that it holds last
  /// runs no user code on it. A dispatcher sets it.
  package static var threadReleases: Bool {
    get { ThreadFrames.isReleasing }
    set { ThreadFrames.isReleasing = newValue }
  }

  /// What messages call the task: its label, else its file and line.
  public var name: String { label.map { "\"\($0)\"" } ?? "\(site)" }
}

/// Raised once, when a shutdown asks the bodies that still run to stop.
public final class ShutdownFlag: Sendable {
  private let raised = Atomic(false)

  public init() {}

  public func raise() { raised.store(true, ordering: .releasing) }
  public var isRaised: Bool { raised.load(ordering: .acquiring) }
}
