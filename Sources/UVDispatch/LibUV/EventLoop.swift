internal import CUV
internal import Glibc
internal import TaskDispatch

/// A `uv_loop_t` with what the foreground needs: a wake-up, a timer, and another iteration at once.
///
/// One thread at a time may use it: the thread that runs it, or, while none does, the thread of the owner. Only
/// ``wake()``, and `watch(_:)` for a signal, may be called from any thread, and only before ``close()`` begins.
@safe final class EventLoop: @unchecked Sendable {
  // Allocated memory and no arrays: libuv keeps these addresses until the close callbacks have run.
  private let loop: UnsafeMutablePointer<uv_loop_t>
  /// An eventfd. A write to it wakes the loop.
  ///
  /// Not a `uv_async_t`: in libuv before 1.45 the loop's thread spins until the thread that sent the wake-up has left
  /// the call. If both share a processor, that takes the processor from the sender.
  let wakeDescriptor: CInt
  private let waker: UnsafeMutablePointer<uv_poll_t>
  private let timer: UnsafeMutablePointer<uv_timer_t>
  private let idle: UnsafeMutablePointer<uv_idle_t>
  /// Watches ``readySet``, once there is one.
  private let watcher: UnsafeMutablePointer<uv_poll_t>
  private var readySet: ReadySet?
  /// A descriptor of ``readySet`` was reported ready, and not taken yet. The loop's thread has to take it, or the
  /// loop would not sleep.
  private(set) var mayBeReady = false
  /// Watches `DispatchQueue.main` while the loop serves it. Made the first time, and kept.
  private var mainWatcher: UnsafeMutablePointer<uv_poll_t>?
  /// Whether the loop runs what waits in `DispatchQueue.main`.
  private(set) var servesMainQueue = false
  /// Blocks wait in `DispatchQueue.main` that the loop has not run yet.
  private var mainQueueHasWork = false
  /// Detects that the loop runs inside a block of `DispatchQueue.main`. Such a loop can run no other block of it.
  private var probe: MainQueue.Probe?
  private var isIdling = false
  private var isOpen = true
  /// Called on the loop's thread after a call of ``wake()``, when the timer fires, when a watched descriptor may be
  /// ready, and when another iteration begins at once.
  var onIteration: () -> Void = {}

  /// Opens the loop. It does not run yet.
  ///
  /// - Throws: ``UVError`` if the system has no descriptors or memory left. Nothing is left behind then.
  init() throws(UVError) {
    unsafe loop = .allocate(capacity: 1)
    unsafe waker = .allocate(capacity: 1)
    unsafe timer = .allocate(capacity: 1)
    unsafe idle = .allocate(capacity: 1)
    unsafe watcher = .allocate(capacity: 1)
    do throws(UVError) {
      // Two more: the eventfd, and the descriptor of the main queue.
      try Descriptors.reserve(Descriptors.ofLoop + 2, for: "uv_loop_init")
      try unsafe UVError.check("uv_loop_init", uv_loop_init(loop))
    } catch {
      wakeDescriptor = -1
      isOpen = false
      throw error
    }
    wakeDescriptor = cuv_make_eventfd()
    do throws(UVError) {
      guard wakeDescriptor >= 0 else { throw UVError(call: "eventfd", status: -errno) }
      try UVError.check("uv_poll_init", unsafe uv_poll_init(loop, waker, wakeDescriptor))
    } catch {
      if wakeDescriptor >= 0 { Glibc.close(wakeDescriptor) }
      unsafe uv_loop_close(loop)
      isOpen = false
      throw error
    }
    // These two calls only fill in memory, and cannot fail.
    unsafe uv_timer_init(loop, timer)
    unsafe uv_idle_init(loop, idle)
    // Not retained: libuv makes callbacks only in `run()` and `close()`, whose caller holds this object.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe waker.pointee.data = context
    unsafe timer.pointee.data = context
    unsafe idle.pointee.data = context
    unsafe uv_poll_start(waker, Int32(UV_READABLE.rawValue)) { handle, _, _ in
      let loop = unsafe EventLoop.of(handle!.pointee.data)
      loop.takeWakes()
      loop.onIteration()
    }
  }

  deinit {
    // A forked child shares the epoll instance with its parent: to close handles here would change what the parent
    // polls.
    if ForkGuard.isForked { return }
    // The loop was never run, or its owner is gone. No other thread can be in it.
    close()
    unsafe mainWatcher?.deallocate()
    unsafe watcher.deallocate()
    unsafe idle.deallocate()
    unsafe timer.deallocate()
    unsafe waker.deallocate()
    unsafe loop.deallocate()
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> EventLoop {
    unsafe Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  /// Makes the loop's thread call ``onIteration`` soon. Many calls before that count as one. Any thread.
  ///
  /// Before the loop runs, this makes its first iteration come at once.
  ///
  /// Traps if other code has closed the eventfd.
  func wake() {
    var one: UInt64 = 1
    while unsafe write(wakeDescriptor, &one, 8) < 0 {
      // The counter of the eventfd is full, so it is readable: the loop is being woken.
      if errno == EAGAIN { return }
      require(
        errno == EINTR,
        "the loop cannot be woken: its eventfd, descriptor \(wakeDescriptor), was closed by other code of this "
          + "process (errno \(errno)). A second close() of one number closes what has that number by then: look for it"
      )
    }
  }

  /// Calls ``onIteration`` soon after each delivery of `signal`. Any thread.
  ///
  /// - Returns: The watch. Its owner must call ``SignalWatch/end()`` before ``close()``.
  /// - Throws: ``UVError`` if the system refuses to install a handler.
  func watch(_ signal: Signal) throws(UVError) -> SignalWatch {
    try SignalWatch(signal, waking: wakeDescriptor)
  }

  /// Calls ``onIteration`` whenever a descriptor of `set` is ready, from now on. A second call does nothing. The loop's
  /// thread.
  func watch(_ set: ReadySet) {
    guard readySet == nil else { return }
    readySet = set
    // The set was opened by this package and can be polled; beyond that, libuv only needs memory. So this cannot
    // fail.
    let status = unsafe uv_poll_init(loop, watcher, set.descriptor)
    require(status == 0, "uv_poll_init refused a set of descriptors: \(status)")
    unsafe watcher.pointee.data = waker.pointee.data
    unsafe uv_poll_start(watcher, Int32(UV_READABLE.rawValue)) { handle, _, _ in
      let loop = unsafe EventLoop.of(handle!.pointee.data)
      loop.mayBeReady = true
      loop.onIteration()
    }
  }

  /// The descriptors of the watched set that have become ready. The loop's thread.
  ///
  /// - Parameter looks: Whether to ask the kernel even if libuv has reported nothing since the last call. It costs a
  ///   system call.
  func takeReadiness(looks: Bool) -> [(token: UInt64, readiness: Readiness)] {
    guard let readySet, mayBeReady || looks else { return [] }
    mayBeReady = false
    return readySet.take()
  }

  /// Runs `body`; until it returns, the loop calls ``onIteration`` whenever blocks wait in `DispatchQueue.main`.
  ///
  /// Call it on the main thread, which must be the loop's thread.
  func servingMainQueue<Result>(_ body: () -> Result) -> Result {
    let watcher: UnsafeMutablePointer<uv_poll_t>
    if let known = unsafe mainWatcher {
      unsafe watcher = known
    } else {
      unsafe watcher = .allocate(capacity: 1)
      // This cannot fail either, for the reason given where the set of descriptors is watched.
      let status = unsafe uv_poll_init(loop, watcher, MainQueue.descriptor)
      require(status == 0, "uv_poll_init refused the main queue's descriptor: \(status)")
      unsafe watcher.pointee.data = waker.pointee.data
      unsafe mainWatcher = watcher
    }
    unsafe uv_poll_start(watcher, Int32(UV_READABLE.rawValue)) { handle, _, _ in
      let loop = unsafe EventLoop.of(handle!.pointee.data)
      loop.lookAtMainQueue()
      loop.onIteration()
    }
    servesMainQueue = true
    defer { serveMainQueueNoMore() }
    return body()
  }

  private func serveMainQueueNoMore() {
    guard servesMainQueue else { return }
    servesMainQueue = false
    probe = nil
    // After ``close()`` the handle is closed already.
    if isOpen, let watcher = unsafe mainWatcher { unsafe uv_poll_stop(watcher) }
    // Writes the wake-up back, so that the next loop that serves the queue sees the blocks.
    if mainQueueHasWork { MainQueue.giveBackWake() }
    mainQueueHasWork = false
  }

  /// Whether blocks that come to `DispatchQueue.main` will run on this loop, as far as is known. The loop's thread.
  ///
  /// The first call sends a block to the queue to find out.
  func expectsMainQueueToRun() -> Bool {
    if servesMainQueue, probe == nil { probe = MainQueue.Probe() }
    return servesMainQueue
  }

  /// Whether blocks wait in `DispatchQueue.main` that the loop has to run before it sleeps. The loop's thread.
  ///
  /// - Parameter looks: Whether to look for blocks that libuv has not reported yet. It costs a system call.
  func hasMainQueueWork(looks: Bool) -> Bool {
    guard servesMainQueue else { return false }
    if looks { lookAtMainQueue() }
    return mainQueueHasWork
  }

  private func lookAtMainQueue() {
    if MainQueue.takeWake() { mainQueueHasWork = true }
  }

  /// Runs the blocks that wait in `DispatchQueue.main`. The loop's thread.
  ///
  /// If the probe did not run, the loop runs inside a block of that queue, and stops serving it.
  func runMainQueue() {
    mainQueueHasWork = false
    MainQueue.runAll()
    if let probe, !probe.hasRun {
      mainQueueHasWork = true
      serveMainQueueNoMore()
    }
  }

  /// Empties the eventfd, so that it becomes readable again with the next ``wake()``.
  private func takeWakes() {
    var count: UInt64 = 0
    // The result does not matter: an empty eventfd needs nothing, and after an interrupted read it is still readable
    // in the next iteration.
    _ = unsafe read(wakeDescriptor, &count, 8)
  }

  /// Runs the loop on the calling thread until ``stop()``.
  func run() {
    // After a ``stop()`` that came before this call it returns at once. The caller checks whether the loop is over,
    // and calls again if not.
    unsafe uv_run(loop, UV_RUN_DEFAULT)
  }

  /// Makes ``run()`` return after this iteration. The loop's thread.
  func stop() { unsafe uv_stop(loop) }

  /// Sets whether the next iteration begins at once, without sleep. libuv still polls the descriptors in between. The
  /// loop's thread.
  func comesRoundAgain(_ again: Bool) {
    guard again != isIdling else { return }
    isIdling = again
    if again {
      unsafe uv_idle_start(idle) { handle in unsafe EventLoop.of(handle!.pointee.data).onIteration()
      }
    } else {
      unsafe uv_idle_stop(idle)
    }
  }

  /// Sets the timer, which calls ``onIteration`` once. The loop's thread.
  ///
  /// - Parameter nanoseconds: The time from now, rounded up to whole milliseconds, at least one. Nil stops the timer.
  func setTimer(_ nanoseconds: Int64?) {
    guard let nanoseconds else {
      unsafe uv_timer_stop(timer)
      return
    }
    // libuv counts from the time that it read when the iteration began, so that is updated first. At least 1 ms: in
    // old versions of libuv a timer of 0 that is started from its own callback lets nothing else run.
    unsafe uv_update_time(loop)
    let rounded = max(1, (UInt64(max(0, nanoseconds)) + 999_999) / 1_000_000)
    unsafe uv_timer_start(
      timer, { handle in unsafe EventLoop.of(handle!.pointee.data).onIteration() }, rounded, 0)
  }

  /// Closes everything. The loop must not run any more, and no thread may be in ``wake()`` or call it again. A second
  /// call does nothing.
  ///
  /// Traps if a handle of other code is still open on the loop.
  func close() {
    guard isOpen else { return }
    isOpen = false
    onIteration = {}
    requireNoOthers()
    unsafe uv_close(UnsafeMutableRawPointer(waker).assumingMemoryBound(to: uv_handle_t.self), nil)
    unsafe uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self), nil)
    unsafe uv_close(UnsafeMutableRawPointer(idle).assumingMemoryBound(to: uv_handle_t.self), nil)
    if readySet != nil {
      unsafe uv_close(
        UnsafeMutableRawPointer(watcher).assumingMemoryBound(to: uv_handle_t.self), nil)
    }
    if let mainWatcher = unsafe mainWatcher {
      unsafe uv_close(
        UnsafeMutableRawPointer(mainWatcher).assumingMemoryBound(to: uv_handle_t.self), nil)
    }
    // The memory of a handle is ours again only once its close callback has run.
    unsafe uv_run(loop, UV_RUN_DEFAULT)
    Glibc.close(wakeDescriptor)
    readySet = nil
    let status = unsafe uv_loop_close(loop)
    require(
      status == 0, "a loop was closed while something lives on it (uv_loop_close: \(status))")
  }

  /// Traps if other code has left a handle on the loop that is not closing.
  ///
  /// An active handle would keep ``close()`` from returning, and this object does not own its memory.
  private func requireNoOthers() {
    let kinds = OpenHandles()
    unsafe uv_walk(
      loop,
      { handle, context in
        guard unsafe uv_is_closing(handle) == 0 else { return }
        let kind = unsafe uv_handle_type_name(uv_handle_get_type(handle))
        let kinds = unsafe Unmanaged<OpenHandles>.fromOpaque(context!).takeUnretainedValue()
        kinds.names.append(unsafe kind.map { unsafe String(cString: $0) } ?? "unknown")
      }, Unmanaged.passUnretained(kinds).toOpaque())
    var own = ["poll", "timer", "idle"]
    if readySet != nil { own.append("poll") }
    if unsafe mainWatcher != nil { own.append("poll") }
    for mine in own {
      if let index = kinds.names.firstIndex(of: mine) { kinds.names.remove(at: index) }
    }
    require(
      kinds.names.isEmpty,
      "the dispatcher ends while handles that withLoop { … } was used for are open: "
        + "\(kinds.names.joined(separator: ", ")); uv_close what withLoop { … } has put there, on the "
        + "foreground, before or while it shuts down")
  }

  /// Runs `body` with the `uv_loop_t`, for libraries that bring handles of their own. The loop's thread.
  func withLoop<Result>(_ body: (UnsafeMutablePointer<uv_loop_t>) throws -> Result) rethrows
    -> Result
  {
    try unsafe body(loop)
  }
}

private final class OpenHandles {
  var names: [String] = []
}
