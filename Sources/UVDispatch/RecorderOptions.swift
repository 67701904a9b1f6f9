internal import TaskDispatch

/// How a dispatcher records what it does: see ``UVDispatcher/recording()``.
public struct RecorderOptions: Sendable, Hashable {
  /// How many bytes of events are kept of each thread that submits or runs tasks, at least 1024. An event has 32 bytes,
  /// and a plain task needs two to three. The first dispatcher of the process that records decides for all.
  ///
  /// Memory is used as the events come. At most 256 threads are recorded at a time.
  public var bytesPerThread: Int

  /// A mebibyte for each thread, which some ten thousand tasks fill, unless told otherwise.
  public init(bytesPerThread: Int = 1 << 20) { self.bytesPerThread = bytesPerThread }

  func validate() {
    require(
      bytesPerThread >= 1024 && bytesPerThread <= 1 << 36,
      "a thread's recording has 1 KiB to 64 GiB (bytesPerThread: \(bytesPerThread))")
  }
}
