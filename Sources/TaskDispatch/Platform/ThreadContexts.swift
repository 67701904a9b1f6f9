internal import Glibc

/// What a thread does for dispatchers: above all the running-task contexts (``TaskContext``) of the bodies that
/// run on it.
///
/// The contexts form a list through themselves, so that entering a body allocates nothing and writes to no
/// shared object.
///
/// It uses a thread-local pointer and compares no thread identifiers. The compiler may keep `pthread_self`
/// across an `await`, and identifiers are used again. So a comparison could answer for another thread, or for
/// one that has ended.
enum ThreadContexts {
  /// A context's place in the list, while its body runs.
  @safe struct Link {
    // Not counted: the code that runs the body keeps these objects alive until the body has ended.
    private let heldBelow: Unmanaged<TaskContext>?
    private unowned(unsafe) let heldDispatcher: any DispatcherImplementation
    private let top: Top
    /// Whether the body must not rely on the contexts below.
    let hidesOuter: Bool
    private let wasOutside: Bool

    /// Puts `context` on top of this thread's contexts.
    fileprivate init(
      _ context: TaskContext, by dispatcher: any DispatcherImplementation, hidesOuter: Bool
    ) {
      unsafe top = ThreadContexts.topIfMade() ?? ThreadContexts.makeTop()
      unsafe heldBelow = top.pointee.context
      unsafe heldDispatcher = dispatcher
      unsafe wasOutside = top.pointee.isOutsideTasks
      self.hidesOuter = hidesOuter || wasOutside
      unsafe top.pointee.context = Unmanaged.passUnretained(context)
      unsafe top.pointee.isOutsideTasks = false
      unsafe context.thread = top.pointee.thread
    }

    /// Puts `context` on top as if it stood directly on `base`, a context somewhere below.
    fileprivate init(
      _ context: TaskContext, by dispatcher: any DispatcherImplementation, above base: TaskContext?
    ) {
      unsafe top = ThreadContexts.topIfMade() ?? ThreadContexts.makeTop()
      unsafe heldBelow = base.map { unsafe Unmanaged.passUnretained($0) }
      unsafe heldDispatcher = dispatcher
      unsafe wasOutside = top.pointee.isOutsideTasks
      hidesOuter = false
      unsafe top.pointee.context = Unmanaged.passUnretained(context)
      unsafe top.pointee.isOutsideTasks = false
      unsafe context.thread = top.pointee.thread
    }

    /// Makes the context below the top again.
    fileprivate func undo() {
      unsafe top.pointee.context = heldBelow
      unsafe top.pointee.isOutsideTasks = wasOutside
    }

    /// Makes `context` the top again.
    fileprivate func undo(to context: TaskContext?) {
      unsafe top.pointee.context = context.map { unsafe Unmanaged.passUnretained($0) }
      unsafe top.pointee.isOutsideTasks = wasOutside
    }

    var below: TaskContext? { unsafe heldBelow?.takeUnretainedValue() }
    var dispatcher: any DispatcherImplementation { unsafe heldDispatcher }
  }

  /// The thread-local state. A thread looks it up once a body, and then writes it without a call. It is freed
  /// when the thread ends.
  @safe fileprivate struct State {
    /// The thread.
    let thread = ThreadID.ask()
    /// The innermost context.
    var context: Unmanaged<TaskContext>?
    /// Whether the code that runs now is in no task, whatever contexts are below: a dispatcher calls back
    /// after a task has ended.
    var isOutsideTasks = false
    /// The innermost call of ``delivering(for:outsideTasks:_:)``.
    var delivery: UnsafePointer<Delivery>?
    /// The dispatcher whose worker run this thread is in. It outlives that worker run.
    unowned(unsafe) var worksFor: (any DispatcherImplementation)?
    /// Whether a dispatcher blocks the thread, which may run something on top of its wait.
    var isBlocked = false
    /// Whether the thread is about to release dispatchers that it does no work for.
    var isReleasing = false
    /// Which dispatcher the thread is named after.
    var namedAfter = WorkItem.DispatcherName.none
  }

  @safe fileprivate struct Delivery {
    /// Kept alive by the caller, for longer than this.
    unowned(unsafe) let dispatcher: any DispatcherImplementation
    let below: UnsafePointer<Delivery>?
  }

  fileprivate typealias Top = UnsafeMutablePointer<State>

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key) { unsafe free($0) }
    precondition(status == 0, "pthread_key_create refused: \(status)")
    return key
  }()

  /// Never inlined: the value that it reads changes where the compiler sees no reason for that.
  @inline(never) fileprivate static func topIfMade() -> Top? {
    guard let top = unsafe pthread_getspecific(key) else { return nil }
    return unsafe top.assumingMemoryBound(to: State.self)
  }

  @inline(never) fileprivate static func makeTop() -> Top {
    let size = MemoryLayout<State>.size
    guard let memory = unsafe malloc(size) else { fatalError("no memory for \(size) bytes") }
    let top = unsafe memory.bindMemory(to: State.self, capacity: 1)
    unsafe top.initialize(to: State())
    let status = unsafe pthread_setspecific(key, top)
    precondition(status == 0, "pthread_setspecific refused: \(status)")
    return unsafe top
  }

  /// The innermost context on this thread, or nil. The code that runs now may be outside of it: see
  /// ``isOutsideTasks``.
  static var innermost: TaskContext? {
    guard let top = unsafe topIfMade() else { return nil }
    return unsafe top.pointee.context?.takeUnretainedValue()
  }

  /// Whether the code that runs now is in none of this thread's contexts.
  static var isOutsideTasks: Bool {
    guard let top = unsafe topIfMade() else { return true }
    return unsafe top.pointee.isOutsideTasks
  }

  /// Runs `body`, in which a dispatcher calls user code and releases what it holds.
  ///
  /// - Parameter outsideTasks: Whether `body` is in no task, whatever this thread runs. If false, `body` is
  ///   in the task of the calling code.
  static func delivering(
    for dispatcher: any DispatcherImplementation, outsideTasks: Bool, _ body: () -> Void
  ) {
    let top = unsafe topIfMade() ?? makeTop()
    let wasOutside = unsafe top.pointee.isOutsideTasks
    if outsideTasks { unsafe top.pointee.isOutsideTasks = true }
    let delivery = unsafe Delivery(dispatcher: dispatcher, below: top.pointee.delivery)
    unsafe withUnsafePointer(to: delivery) { delivery in
      unsafe top.pointee.delivery = unsafe delivery
      body()
      unsafe top.pointee.delivery = delivery.pointee.below
    }
    unsafe top.pointee.isOutsideTasks = wasOutside
  }

  /// The number of calls of ``delivering(for:outsideTasks:_:)`` for `dispatcher` that this thread is in.
  static func deliveries(for dispatcher: ObjectIdentifier) -> Int {
    guard let top = unsafe topIfMade() else { return 0 }
    var count = 0
    var next = unsafe top.pointee.delivery
    while let delivery = unsafe next {
      if unsafe ObjectIdentifier(delivery.pointee.dispatcher) == dispatcher { count += 1 }
      unsafe next = delivery.pointee.below
    }
    return count
  }

  /// The dispatcher of the innermost call of ``delivering(for:outsideTasks:_:)``, or nil.
  static var deliverer: (any DispatcherImplementation)? {
    guard let top = unsafe topIfMade() else { return nil }
    return unsafe top.pointee.delivery?.pointee.dispatcher
  }

  /// The dispatcher whose worker run this thread is in, or nil.
  static var worksFor: (any DispatcherImplementation)? {
    get {
      guard let top = unsafe topIfMade() else { return nil }
      return unsafe top.pointee.worksFor
    }
    set {
      let top = unsafe topIfMade() ?? makeTop()
      unsafe top.pointee.worksFor = newValue
    }
  }

  /// Whether a dispatcher blocks the thread, which may run something on top of its wait.
  static var isBlocked: Bool {
    get {
      guard let top = unsafe topIfMade() else { return false }
      return unsafe top.pointee.isBlocked
    }
    set {
      let top = unsafe topIfMade() ?? makeTop()
      unsafe top.pointee.isBlocked = newValue
    }
  }

  /// Whether the thread is about to release dispatchers that it does no work for.
  static var isReleasing: Bool {
    get {
      guard let top = unsafe topIfMade() else { return false }
      return unsafe top.pointee.isReleasing
    }
    set {
      let top = unsafe topIfMade() ?? makeTop()
      unsafe top.pointee.isReleasing = newValue
    }
  }

  /// The calling thread.
  static var thread: ThreadID { unsafe (topIfMade() ?? makeTop()).pointee.thread }

  /// Which dispatcher the thread is named after.
  static var namedAfter: WorkItem.DispatcherName {
    get {
      guard let top = unsafe topIfMade() else { return .none }
      return unsafe top.pointee.namedAfter
    }
    set {
      let top = unsafe topIfMade() ?? makeTop()
      unsafe top.pointee.namedAfter = newValue
    }
  }

  /// Puts `context` on top. The caller keeps `context` and its dispatcher alive until it has popped `context`.
  static func push(
    _ context: TaskContext, by dispatcher: any DispatcherImplementation, hidesOuter: Bool
  ) {
    context.link = Link(context, by: dispatcher, hidesOuter: hidesOuter)
  }

  /// Removes `context`, which this thread pushed last.
  static func pop(_ context: TaskContext) {
    context.link?.undo()
    context.link = nil
  }

  /// Puts `context` on top as if it stood directly on `base`, a context somewhere below.
  ///
  /// - Returns: What was on top before, for ``pop(_:to:)``.
  static func push(
    _ context: TaskContext, by dispatcher: any DispatcherImplementation, above base: TaskContext?
  ) -> TaskContext? {
    let former = innermost
    context.link = Link(context, by: dispatcher, above: base)
    return former
  }

  /// Removes `context`, and makes `former` the top.
  static func pop(_ context: TaskContext, to former: TaskContext?) {
    context.link?.undo(to: former)
    context.link = nil
  }

  /// The first context of this thread, from the innermost outwards, for which `matches` is true.
  static func first(where matches: (TaskContext) -> Bool) -> TaskContext? {
    var next = innermost
    while let context = next {
      if matches(context) { return context }
      next = context.link?.below
    }
    return nil
  }
}
