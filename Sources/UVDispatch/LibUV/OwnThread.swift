internal import CUV
internal import Glibc

/// Threads of this package's own.
enum OwnThread {
  /// Runs `body` on a new thread with this name (at most 15 bytes of it), and lets it go when it
  /// ends. The thread lets in the signals of a fault of its own (``FaultSignals``); all others go to
  /// other threads. The mask of the calling thread is the same afterwards.
  ///
  /// - Throws: If the system has no room for another thread.
  static func start(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(UVError) {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { unsafe pthread_attr_destroy(&attributes) }
    let start = Start(name: name, body)
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(start)
    // A new thread begins with the mask of the thread that makes it.
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    let status = unsafe pthread_create(
      &thread, &attributes,
      { context in
        FaultSignals.letIn()
        let start = unsafe Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
        unsafe cuv_name_thread(start.name)
        start.body()
        return nil
      }, context.toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    guard status == 0 else {
      unsafe context.release()
      throw UVError(call: "pthread_create", status: -Int32(status))
    }
  }

  private final class Start {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}
