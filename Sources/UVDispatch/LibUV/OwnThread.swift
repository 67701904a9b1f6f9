internal import CUV
internal import Glibc

/// Starts threads that belong to this package.
enum OwnThread {
  /// Runs `body` on a new, detached thread. The signal mask of the calling thread is the same afterwards.
  ///
  /// - Parameters:
  ///   - name: The label of the dispatcher that the thread is named after.
  ///   - role: What the thread does for it, as the second word of its name.
  ///   - runsBodies: Whether code of the program runs there. Then the thread has the signal mask that ``SignalMasks``
  ///     describes. Otherwise it blocks all signals except those of a fault of its own, so that the kernel delivers
  ///     them to other threads.
  ///   - body: What the thread runs. The thread ends when it returns.
  /// - Throws: ``UVError`` if the system has no room for another thread. Then `body` is released and never runs.
  static func start(
    named name: String, role: String? = nil, runsBodies: Bool = false,
    _ body: @escaping @Sendable () -> Void
  ) throws(UVError) {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { unsafe pthread_attr_destroy(&attributes) }
    let start = Start(name: name, role: role, runsBodies: runsBodies, body)
    let context = unsafe Unmanaged.passRetained(start)
    // A new thread begins with the mask of the thread that makes it.
    let status = SignalMasks.whileAllAreBlocked {
      var thread = pthread_t()
      return unsafe pthread_create(
        &thread, &attributes,
        { context in
          let start = unsafe Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
          if start.runsBodies {
            SignalMasks.setThatOfBodies()
          } else {
            SignalMasks.letFaultsIn()
          }
          ThreadName.set(start.name, start.role)
          start.body()
          return nil
        }, context.toOpaque())
    }
    guard status == 0 else {
      unsafe context.release()
      throw UVError(call: "pthread_create", status: -Int32(status))
    }
  }

  private final class Start {
    let name: String
    let role: String?
    let runsBodies: Bool
    let body: @Sendable () -> Void

    init(
      name: String, role: String?, runsBodies: Bool, _ body: @escaping @Sendable () -> Void
    ) {
      self.name = name
      self.role = role
      self.runsBodies = runsBodies
      self.body = body
    }
  }
}
