public import TaskDispatch

/// How the stacks of threads that are stuck are taken: see ``UVDispatcher/Configuration/stallStacks``.
///
/// The first dispatcher that watches with it makes the process ready: it opens a file, installs a handler for the
/// signal, and keeps every library that is loaded from being unloaded. That takes some milliseconds, and waits for threads
/// that are loading a library.
///
/// A thread that waits in the kernel is sent nothing, since a signal would cut its wait short. A thread that runs is
/// sent ``signal``. If it begins to wait just then, that wait may fail with `EINTR`, and a `read` or `write` that is
/// moving data may return with a part of it. The handler needs some four kilobytes of the thread's stack.
public struct StackCapture: Sendable, Hashable {
  /// The signal. Deliveries that the dispatcher has not sent go to the handler that was there before. What the system
  /// does by itself with the signal, such as ending the process, it does no more.
  public var signal: Signal

  /// With a signal that the program uses for nothing else. `SIGURG` does no harm where nothing handles it, and
  /// debuggers pass it on. A dispatcher traps if its watch begins and the signal cannot be handled.
  public init(signal: Signal = .urgent) { self.signal = signal }
}
