internal import CUV
internal import Glibc
internal import TaskDispatch

/// A `uv_loop_t` of our own with what the foreground needs of it: a wake-up, a timer, and a way to
/// come round again at once.
///
/// Belongs to one thread at a time: the one that runs it, or, while none does, whoever owns it. Only
/// ``wake()`` may be called from any thread, and only before ``close()`` begins.
@safe final class EventLoop: @unchecked Sendable {
  // Plain memory and no arrays: libuv keeps these addresses until the close callbacks have run.
  private let loop: UnsafeMutablePointer<uv_loop_t>
  /// An eventfd: what is written into it wakes the loop.
  ///
  /// Not a `uv_async_t`: in old versions of libuv (before 1.45) the loop that was woken waits in a
  /// spin for the sender to leave the call, and so takes it the processor that both may share.
  let wakeDescriptor: CInt
  private let waker: UnsafeMutablePointer<uv_poll_t>
  private let timer: UnsafeMutablePointer<uv_timer_t>
  private let idle: UnsafeMutablePointer<uv_idle_t>
  /// Watches ``readySet``, once there is one.
  private let watcher: UnsafeMutablePointer<uv_poll_t>
  private var readySet: ReadySet?
  /// Something in that is ready, and somebody has to take it, or the loop would not rest.
  private(set) var mayBeReady = false
  /// Watches `DispatchQueue.main` while the loop serves it. There from the first time on.
  private var mainWatcher: UnsafeMutablePointer<uv_poll_t>?
  /// Whether the loop runs what waits in `DispatchQueue.main`.
  private(set) var servesMainQueue = false
  /// Something waits there, and was not run yet.
  private var mainQueueHasWork = false
  /// Tells a loop that runs inside a block of that queue, and so can run none of the others.
  private var probe: MainQueue.Probe?
  private var isIdling = false
  private var isOpen = true
  /// Called on the thread that runs the loop: somebody called ``wake()``, the timer fired, a descriptor
  /// that it watches may be ready, or the loop comes round again.
  var onTurn: () -> Void = {}

  /// - Throws: If the system has no descriptors or memory left. Nothing is left behind then.
  init() throws(UVError) {
    unsafe loop = .allocate(capacity: 1)
    unsafe waker = .allocate(capacity: 1)
    unsafe timer = .allocate(capacity: 1)
    unsafe idle = .allocate(capacity: 1)
    unsafe watcher = .allocate(capacity: 1)
    do throws(UVError) {
      // And the one that wakes it, and the main queue's.
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
    // These only fill in memory.
    unsafe uv_timer_init(loop, timer)
    unsafe uv_idle_init(loop, idle)
    // Not retained: callbacks come from `run()` and `close()` alone, whose caller holds this.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe waker.pointee.data = context
    unsafe timer.pointee.data = context
    unsafe idle.pointee.data = context
    unsafe uv_poll_start(waker, Int32(UV_READABLE.rawValue)) { handle, _, _ in
      let loop = unsafe EventLoop.of(handle!.pointee.data)
      loop.takeWakes()
      loop.onTurn()
    }
  }

  deinit {
    // A child shares what it polls with the parent, which goes on.
    if ForkGuard.isForked { return }
    // A loop that was never run, or whose owner is gone: nobody else can be in it.
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

  /// Lets ``onTurn`` be called soon on the thread that runs the loop; once for many calls. Any
  /// thread. Also before the loop runs: then its first turn comes at once.
  func wake() {
    var one: UInt64 = 1
    while unsafe write(wakeDescriptor, &one, 8) < 0 {
      // A full one is readable: the loop is being woken.
      if errno == EAGAIN { return }
      require(
        errno == EINTR,
        "the loop cannot be woken: its eventfd, descriptor \(wakeDescriptor), was closed by other code of this "
          + "process (errno \(errno)). A second close() of one number closes what has that number by then: look for it"
      )
    }
  }

  /// Calls ``onTurn`` soon whenever `signal` has come, until what it returns has ended, which it must
  /// before ``close()``. Any thread.
  func watch(_ signal: Signal) throws(UVError) -> SignalWatch {
    try SignalWatch(signal, waking: wakeDescriptor)
  }

  /// Calls ``onTurn`` whenever something in `set` is ready, from now on. Once. The loop's thread.
  func watch(_ set: ReadySet) {
    guard readySet == nil else { return }
    readySet = set
    // It was opened here, and is of a kind that can be polled; what else libuv needs is memory.
    let status = unsafe uv_poll_init(loop, watcher, set.descriptor)
    require(status == 0, "uv_poll_init refused a set of descriptors: \(status)")
    unsafe watcher.pointee.data = waker.pointee.data
    unsafe uv_poll_start(watcher, Int32(UV_READABLE.rawValue)) { handle, _, _ in
      let loop = unsafe EventLoop.of(handle!.pointee.data)
      loop.mayBeReady = true
      loop.onTurn()
    }
  }

  /// What has become ready of what is watched; nothing if libuv has seen nothing since the last time,
  /// unless `looks`. The loop's thread.
  func takeReadiness(looks: Bool) -> [(token: UInt64, readiness: Readiness)] {
    guard let readySet, mayBeReady || looks else { return [] }
    mayBeReady = false
    return readySet.take()
  }

  /// Calls ``onTurn`` whenever something waits in `DispatchQueue.main`, while `body` runs. The main
  /// thread, which is the loop's.
  func servingMainQueue<Result>(_ body: () -> Result) -> Result {
    let watcher: UnsafeMutablePointer<uv_poll_t>
    if let known = unsafe mainWatcher {
      unsafe watcher = known
    } else {
      unsafe watcher = .allocate(capacity: 1)
      // As for the set of descriptors.
      let status = unsafe uv_poll_init(loop, watcher, MainQueue.descriptor)
      require(status == 0, "uv_poll_init refused the main queue's descriptor: \(status)")
      unsafe watcher.pointee.data = waker.pointee.data
      unsafe mainWatcher = watcher
    }
    unsafe uv_poll_start(watcher, Int32(UV_READABLE.rawValue)) { handle, _, _ in
      let loop = unsafe EventLoop.of(handle!.pointee.data)
      loop.lookAtMainQueue()
      loop.onTurn()
    }
    servesMainQueue = true
    defer { serveMainQueueNoMore() }
    return body()
  }

  private func serveMainQueueNoMore() {
    guard servesMainQueue else { return }
    servesMainQueue = false
    probe = nil
    // Not if the loop has ended meanwhile.
    if isOpen, let watcher = unsafe mainWatcher { unsafe uv_poll_stop(watcher) }
    // Whoever serves it next would not hear of what has come.
    if mainQueueHasWork { MainQueue.giveBackWake() }
    mainQueueHasWork = false
  }

  /// Whether what comes to `DispatchQueue.main` will run here, as far as is known: when it is first
  /// asked it sends something there to find out. The loop's thread.
  func expectsMainQueueToRun() -> Bool {
    if servesMainQueue, probe == nil { probe = MainQueue.Probe() }
    return servesMainQueue
  }

  /// Whether the loop is to run what waits in `DispatchQueue.main`: then it must, before it rests. The
  /// loop's thread.
  ///
  /// - Parameter looks: Whether it looks for what libuv has not noticed yet, at the price of a system
  ///   call.
  func hasMainQueueWork(looks: Bool) -> Bool {
    guard servesMainQueue else { return false }
    if looks { lookAtMainQueue() }
    return mainQueueHasWork
  }

  private func lookAtMainQueue() {
    if MainQueue.takeWake() { mainQueueHasWork = true }
  }

  /// Runs what waits in `DispatchQueue.main`. The loop's thread.
  func runMainQueue() {
    mainQueueHasWork = false
    MainQueue.runAll()
    if let probe, !probe.hasRun {
      mainQueueHasWork = true
      serveMainQueueNoMore()
    }
  }

  /// Makes the descriptor wait for the next ``wake()``.
  private func takeWakes() {
    var count: UInt64 = 0
    // Nothing to be read is nothing to be done; interrupted, it is readable in the next turn.
    _ = unsafe read(wakeDescriptor, &count, 8)
  }

  /// Runs until ``stop()``. The calling thread is the loop's meanwhile.
  func run() {
    // A stop that came before this call would make it return at once: its caller looks, and calls
    // again.
    unsafe uv_run(loop, UV_RUN_DEFAULT)
  }

  /// Lets ``run()`` return after this turn. The loop's thread.
  func stop() { unsafe uv_stop(loop) }

  /// Whether the next turn comes at once, with the loop's descriptors looked at in between. The
  /// loop's thread.
  func comesRoundAgain(_ again: Bool) {
    guard again != isIdling else { return }
    isIdling = again
    if again {
      unsafe uv_idle_start(idle) { handle in unsafe EventLoop.of(handle!.pointee.data).onTurn() }
    } else {
      unsafe uv_idle_stop(idle)
    }
  }

  /// Calls ``onTurn`` once `nanoseconds` from now, rounded up to libuv's milliseconds; not at all if
  /// nil. The loop's thread.
  func setTimer(_ nanoseconds: Int64?) {
    guard let nanoseconds else {
      unsafe uv_timer_stop(timer)
      return
    }
    // Libuv counts from the time that it read at the beginning of the turn. At least 1: in old
    // versions a timer of 0 that is started from its own callback lets nothing else run.
    unsafe uv_update_time(loop)
    let rounded = max(1, (UInt64(max(0, nanoseconds)) + 999_999) / 1_000_000)
    unsafe uv_timer_start(
      timer, { handle in unsafe EventLoop.of(handle!.pointee.data).onTurn() }, rounded, 0)
  }

  /// Closes everything. The loop does not run any more, and nobody is in ``wake()`` or will be.
  func close() {
    guard isOpen else { return }
    isOpen = false
    onTurn = {}
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
    // The memory of a handle is ours again only once its close callback had its turn.
    unsafe uv_run(loop, UV_RUN_DEFAULT)
    Glibc.close(wakeDescriptor)
    readySet = nil
    let status = unsafe uv_loop_close(loop)
    require(
      status == 0, "a loop was closed while something lives on it (uv_loop_close: \(status))")
  }

  /// Traps if somebody has left a handle on the loop that is not being closed: an active one would
  /// keep `close()` for ever, and its memory belongs to nobody we know.
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

  /// Hands out the loop itself, for libraries that bring handles of their own.
  func withLoop<Result>(_ body: (UnsafeMutablePointer<uv_loop_t>) throws -> Result) rethrows
    -> Result
  {
    try unsafe body(loop)
  }
}

private final class OpenHandles {
  var names: [String] = []
}
