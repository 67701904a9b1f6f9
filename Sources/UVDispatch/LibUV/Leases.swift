internal import CUV
internal import Glibc
internal import Synchronization
internal import TaskDispatch

/// Threads of libuv's pool on loan: each lease is one `uv_queue_work`.
///
/// `uv_queue_work` is not thread-safe with respect to its loop, so leases are started on a loop of
/// their own that is never polled for anything else, under a lock. So any thread can start one, also
/// while a dispatcher's loop is blocked or does not run (rule 10).
///
/// One private loop for the process, made when the first dispatcher is, and never closed: a lease may
/// be the last that holds its dispatcher, and may never end, and neither must matter here.
enum Leases {
  private struct State {
    var loop: PrivateLoop?
    var isOver = false
  }
  private static let shared = Locked(State())
  /// When a thread of the pool last came to a question, on the monotonic clock.
  private static let answeredAt = Atomic(Int64.min)
  private static let isAsked = Atomic(false)

  /// When the process leaves, libuv stops its pool, and a `uv_queue_work` that comes after that aborts
  /// the process. Other threads may still post then, so no lease starts any more from before that on.
  private static let endsAtExit: Void = {
    let status = atexit {
      // The lock may have been held by a thread that a forked child does not have.
      if ForkGuard.isForked { return }
      Leases.shared.withLock { $0.isOver = true }
    }
    require(status == 0, "atexit refused: \(status)")
  }()

  /// Makes sure that leases can be started.
  ///
  /// - Throws: If the system has no descriptors or memory left.
  static func prepare() throws(UVError) {
    ForkGuard.prepare()
    endsAtExit
    try shared.withLock { state throws(UVError) in
      if state.loop == nil { state.loop = try PrivateLoop() }
    }
  }

  /// Asks whether the pool has a thread to spare. ``hadThreadToSpare(since:)`` says so once one has come
  /// to the question, behind all that was queued before it: then nobody else waits for a thread. Any
  /// thread, under no lock.
  static func askForThreadToSpare() {
    // One question at a time: its answer is everybody's.
    if isAsked.exchange(true, ordering: .relaxed) { return }
    start {
      answeredAt.store(monotonicNanoseconds(), ordering: .relaxed)
      isAsked.store(false, ordering: .relaxed)
    }
  }

  /// Whether somebody had a thread to spare at that time of the monotonic clock or after it.
  static func hadThreadToSpare(since time: Int64) -> Bool {
    answeredAt.load(ordering: .relaxed) >= time
  }

  /// Calls `work` soon on a thread of the pool, unless the process is leaving. Any thread, after
  /// ``prepare()``; under no lock that `work` takes.
  static func start(_ work: @escaping @Sendable () -> Void) {
    shared.withLock { state in
      if !state.isOver { state.loop!.queue(work) }
    }
  }
}

@safe private struct PrivateLoop: @unchecked Sendable {
  // Touched under the lock of `Leases.shared`. The loop's `data` is the first request that is free,
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
    // To see which have ended takes three calls of the system, and with the next lease that ends a
    // fourth. With so many requests that is seldom.
    for _ in 0..<32 { unsafe Self.free(makeRequest(), of: loop) }
  }

  func queue(_ work: @escaping @Sendable () -> Void) {
    let request = unsafe takeFree()
    unsafe request.pointee.data = Unmanaged.passRetained(Lease(work)).toOpaque()
    let status = unsafe uv_queue_work(
      loop, request,
      { request in
        // Taken here, so that what a lease holds is let go of when it ends, and not when the next
        // one is started.
        let lease = unsafe Unmanaged<Lease>.fromOpaque(request!.pointee.data).takeRetainedValue()
        SignalMasks.letInOnWorker()
        lease.work()
      },
      { request, _ in unsafe PrivateLoop.free(request!, of: request!.pointee.loop) })
    require(status == 0, "uv_queue_work refused: \(status)")
  }

  private func takeFree() -> UnsafeMutablePointer<uv_work_t> {
    // Calls the second callback of those that have ended.
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

private final class Lease {
  let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
