internal import CUV
internal import Glibc
internal import Synchronization
internal import TaskDispatch

/// Starts worker runs on libuv's pool: each is one `uv_queue_work`, which has a thread of the pool until it ends.
///
/// `uv_queue_work` may not be called while another thread uses the same loop. So worker runs are started on a private
/// loop, under a lock, and that loop polls for nothing else. Any thread can start one, also while a dispatcher's loop
/// is blocked or does not run (rule 10).
///
/// There is one private loop for the process. It is made with the first dispatcher and never closed: a worker run may
/// hold the last reference to its dispatcher, and may never end, and neither must matter here.
enum WorkerRuns {
  private struct State {
    var loop: PrivateLoop?
    var isOver = false
  }
  private static let shared = Locked(State())
  /// When a thread of the pool last answered ``askForThreadToSpare()``, in nanoseconds of the monotonic clock.
  private static let answeredAt = Atomic(Int64.min)
  /// A question is on its way to the pool.
  private static let isAsked = Atomic(false)

  /// When the process exits, libuv stops its pool, and a later `uv_queue_work` aborts the process. Other threads may
  /// still submit then. So no worker run starts any more once this exit handler, which runs earlier, has run.
  private static let endsAtExit: Void = {
    let status = atexit {
      // In a forked child the lock may be held by a thread that the child does not have.
      if ForkGuard.isForked { return }
      WorkerRuns.shared.withLock { $0.isOver = true }
    }
    require(status == 0, "atexit refused: \(status)")
  }()

  /// Makes the private loop, unless there is one. Any thread.
  ///
  /// - Throws: ``UVError`` if the system has no descriptors or memory left. Nothing is left behind then.
  static func prepare() throws(UVError) {
    ForkGuard.prepare()
    endsAtExit
    try shared.withLock { state throws(UVError) in
      if state.loop == nil { state.loop = try PrivateLoop() }
    }
  }

  /// Asks whether the pool has a thread to spare. Any thread, under no lock.
  ///
  /// The question is a piece of work for the pool, behind all that was queued before it. Once a thread of the pool
  /// runs it, no earlier work waits for a thread, and ``hadThreadToSpare(since:)`` says so.
  static func askForThreadToSpare() {
    // One question at a time: its answer serves every worker run that asks.
    if isAsked.exchange(true, ordering: .relaxed) { return }
    start {
      answeredAt.store(monotonicNanoseconds(), ordering: .relaxed)
      isAsked.store(false, ordering: .relaxed)
    }
  }

  /// Whether the pool had a thread to spare at `time` or after it, whichever thread has asked. Any thread.
  ///
  /// - Parameter time: In nanoseconds of the monotonic clock.
  static func hadThreadToSpare(since time: Int64) -> Bool {
    answeredAt.load(ordering: .relaxed) >= time
  }

  /// Calls `work` soon on a thread of the pool. If the process is exiting, it is never called.
  ///
  /// Any thread, after ``prepare()``, and under no lock that `work` takes.
  static func start(_ work: @escaping @Sendable () -> Void) {
    shared.withLock { state in
      if !state.isOver { state.loop!.queue(work) }
    }
  }
}

@safe private struct PrivateLoop: @unchecked Sendable {
  // Touched under the lock of `WorkerRuns.shared`. The free requests form a list: the loop's `data` is the first one,
  // whose `data` is the next, and so on.
  private let loop: UnsafeMutablePointer<uv_loop_t>

  init() throws(UVError) {
    unsafe loop = .allocate(capacity: 1)
    do throws(UVError) {
      try Descriptors.reserve(Descriptors.ofLoop, for: "uv_loop_init")
      try UVError.check("uv_loop_init", unsafe uv_loop_init(loop))
    } catch {
      unsafe loop.deallocate()
      throw error
    }
    unsafe loop.pointee.data = nil
    // While the list has a request, starting a worker run needs no system call for it. When it is empty, the loop is
    // run to collect the requests that have ended: three system calls, and a fourth when the next worker run ends.
    // With so many requests that is rare.
    for _ in 0..<32 { unsafe Self.free(makeRequest(), of: loop) }
  }

  func queue(_ work: @escaping @Sendable () -> Void) {
    let request = unsafe takeFree()
    unsafe request.pointee.data = Unmanaged.passRetained(Body(work)).toOpaque()
    let status = unsafe uv_queue_work(
      loop, request,
      { request in
        // Taken here, so that a worker run releases what it holds when it ends, and not when a later one is started.
        let body = unsafe Unmanaged<Body>.fromOpaque(request!.pointee.data).takeRetainedValue()
        SignalMasks.letInOnWorker()
        body.work()
      },
      { request, _ in unsafe PrivateLoop.free(request!, of: request!.pointee.loop) })
    require(status == 0, "uv_queue_work refused: \(status)")
  }

  private func takeFree() -> UnsafeMutablePointer<uv_work_t> {
    // Runs the second callback of the requests that have ended, which puts them into the list.
    if unsafe loop.pointee.data == nil { unsafe uv_run(loop, UV_RUN_NOWAIT) }
    guard let first = unsafe loop.pointee.data else {
      return unsafe makeRequest()
    }
    let request = unsafe first.assumingMemoryBound(to: uv_work_t.self)
    unsafe loop.pointee.data = request.pointee.data
    return unsafe request
  }

  private func makeRequest() -> UnsafeMutablePointer<uv_work_t> {
    let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
    unsafe request.initialize(to: uv_work_t())
    return unsafe request
  }

  private static func free(
    _ request: UnsafeMutablePointer<uv_work_t>, of loop: UnsafeMutablePointer<uv_loop_t>
  ) {
    unsafe request.pointee.data = loop.pointee.data
    unsafe loop.pointee.data = UnsafeMutableRawPointer(request)
  }
}

private final class Body {
  let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
