import Glibc
import UVDispatch

/// A C library that was given the loop by `withLoop`, and puts handles of its own on it.
///
/// It looks up libuv's functions by name, as such a library would: this package hands them out nowhere.
enum Adopted {
  private static func function<Signature>(_ name: String, _: Signature.Type) -> Signature {
    unsafe unsafeBitCast(dlsym(nil, name)!, to: Signature.self)
  }

  private typealias Pointer = UnsafeMutableRawPointer
  private typealias Callback = @convention(c) (Pointer) -> Void
  private typealias AfterWork = @convention(c) (Pointer, CInt) -> Void

  private final class Watch {
    let call: () -> Void
    init(_ call: @escaping () -> Void) { self.call = call }
  }

  /// Watches `descriptor` until it is readable, calls `body` once on the loop, and closes its handle.
  static func onceReadable(
    _ descriptor: CInt, on loop: OpaqueLoop, _ body: @escaping () -> Void
  ) {
    let size = function("uv_handle_size", (@convention(c) (CInt) -> Int).self)(8)
    let poll = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    let initialise = unsafe function(
      "uv_poll_init", (@convention(c) (Pointer, Pointer, CInt) -> CInt).self)
    let start = unsafe function(
      "uv_poll_start",
      (@convention(c) (Pointer, CInt, @convention(c) (Pointer, CInt, CInt) -> Void) -> CInt).self)
    let initialised = unsafe initialise(loop.pointer, poll, descriptor)
    precondition(initialised == 0, "uv_poll_init: \(initialised)")
    unsafe keep(Watch(body), in: poll)
    let started = unsafe start(poll, 1) { poll, _, _ in
      unsafe Adopted.watch(in: poll).call()
      unsafe Adopted.close(poll)
    }
    precondition(started == 0, "uv_poll_start: \(started)")
  }

  /// Puts a timer on the loop and never closes it.
  ///
  /// - Parameter ticks: Whether the timer is started, to tick every millisecond.
  static func leaveTimer(on loop: OpaqueLoop, ticks: Bool) {
    let size = function("uv_handle_size", (@convention(c) (CInt) -> Int).self)(13)
    let timer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    let initialise = unsafe function(
      "uv_timer_init", (@convention(c) (Pointer, Pointer) -> CInt).self)
    let status = unsafe initialise(loop.pointer, timer)
    precondition(status == 0, "uv_timer_init: \(status)")
    guard ticks else { return }
    let start = unsafe function(
      "uv_timer_start",
      (@convention(c) (Pointer, @convention(c) (Pointer) -> Void, UInt64, UInt64) -> CInt).self)
    let started = unsafe start(timer, { _ in }, 1, 1)
    precondition(started == 0, "uv_timer_start: \(started)")
  }

  /// Asks for the status of `path` on libuv's pool, and calls `body` on the loop when it is there.
  static func stat(_ path: String, on loop: OpaqueLoop, _ body: @escaping () -> Void) {
    unsafe stat(path, on: loop.pointer, body)
  }

  private static func stat(
    _ path: String, on loop: UnsafeMutableRawPointer, _ body: @escaping () -> Void
  ) {
    let size = function("uv_req_size", (@convention(c) (CInt) -> Int).self)(6)
    let request = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe keep(Watch(body), in: request)
    let stat = unsafe function(
      "uv_fs_stat",
      (@convention(c) (Pointer, Pointer, UnsafePointer<CChar>, Callback) -> CInt).self)
    let status = unsafe stat(loop, request, path) { request in
      unsafe Adopted.watch(in: request).call()
      unsafe Unmanaged.passUnretained(Adopted.watch(in: request)).release()
      unsafe Adopted.function("uv_fs_req_cleanup", Callback.self)(request)
      unsafe request.deallocate()
    }
    precondition(status == 0, "uv_fs_stat: \(status)")
  }

  /// Uses libuv's pool before any dispatcher does, on a loop of its own, which it leaves behind.
  static func usePool(_ body: @escaping () -> Void) {
    let loopSize = function("uv_loop_size", (@convention(c) () -> Int).self)()
    let loop = UnsafeMutableRawPointer.allocate(byteCount: loopSize, alignment: 16)
    let initialise = unsafe function("uv_loop_init", (@convention(c) (Pointer) -> CInt).self)
    let initialised = unsafe initialise(loop)
    precondition(initialised == 0, "uv_loop_init: \(initialised)")
    // Not for a file: some versions of libuv ask the kernel for that, and not the pool.
    let size = function("uv_req_size", (@convention(c) (CInt) -> Int).self)(7)
    let request = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe keep(Watch(body), in: request)
    let queue = unsafe function(
      "uv_queue_work", (@convention(c) (Pointer, Pointer, Callback, AfterWork) -> CInt).self)
    let queued = unsafe queue(
      loop, request, { _ in },
      { request, _ in
        unsafe Adopted.watch(in: request).call()
        unsafe Unmanaged.passUnretained(Adopted.watch(in: request)).release()
        unsafe request.deallocate()
      })
    precondition(queued == 0, "uv_queue_work: \(queued)")
    let run = unsafe function("uv_run", (@convention(c) (Pointer, CInt) -> CInt).self)
    _ = unsafe run(loop, 0)
  }

  // The object in a handle is released where the memory of the handle is freed. The first field is `data`.
  private static func keep(_ watch: Watch, in handle: UnsafeMutableRawPointer) {
    unsafe handle.storeBytes(
      of: Unmanaged.passRetained(watch).toOpaque(), as: UnsafeMutableRawPointer.self)
  }

  private static func watch(in handle: UnsafeMutableRawPointer) -> Watch {
    unsafe Unmanaged.fromOpaque(handle.load(as: UnsafeMutableRawPointer.self))
      .takeUnretainedValue()
  }

  private static func close(_ handle: UnsafeMutableRawPointer) {
    let close = unsafe function("uv_close", (@convention(c) (Pointer, Callback) -> Void).self)
    unsafe close(handle) { handle in
      unsafe Unmanaged.passUnretained(Adopted.watch(in: handle)).release()
      unsafe handle.deallocate()
    }
  }
}
