internal import CUV
internal import Glibc
internal import TaskDispatch

/// What is known of libuv's thread pool, which the whole process shares.
enum ThreadPool {
  /// How many threads the pool has. Any thread.
  ///
  /// libuv reads `UV_THREADPOOL_SIZE` when the pool is first used, and starts 4 threads without it. A later change of
  /// the variable has no effect. This call uses the pool, and remembers the answer.
  ///
  /// - Throws: ``UVDispatcher/ConfigurationError`` if the variable is not a number from 1 to 1024: libuv would
  ///   silently take it for 1 or for 1024. ``UVError`` if the system has no descriptors left.
  static func threads() throws -> Int {
    try known.withLock { known in
      if let known { return known }
      // Read before the next lines start the pool.
      let now = try size(unsafe getenv("UV_THREADPOOL_SIZE").map { unsafe String(cString: $0) })
      try WorkerRuns.prepare()
      let before = threadsOfProcess
      SignalMasks.whileThatOfBodies { WorkerRuns.start {} }
      // libuv starts all its threads at once. If no thread has come, other code has used the pool before. What the
      // variable said then is not known, so the threads are counted.
      let isOurs = threadsOfProcess > before
      let count = isOurs ? now : measure()
      known = count
      return count
    }
  }

  private static let known = Locked<Int?>(nil)

  private static func size(_ text: String?) throws(UVDispatcher.ConfigurationError) -> Int {
    guard let text else { return 4 }
    guard let count = Int(text), count >= 1, count <= 1024 else { throw .threadPoolSize(text) }
    return count
  }

  /// How many threads the process has. The link count of a directory is the number of its subdirectories plus two.
  private static var threadsOfProcess: Int {
    var status = stat()
    return unsafe stat("/proc/self/task", &status) == 0 ? Int(status.st_nlink) - 2 : 0
  }

  /// Counts the threads of the pool by letting them all wait for each other, for some milliseconds.
  ///
  /// Counts too few if other code keeps threads of the pool busy at that time. That code loses nothing by it: the
  /// dispatcher then uses fewer threads.
  private static func measure() -> Int {
    let meeting = Meeting()
    var expected = 0
    while expected < 1024 {
      for _ in 0..<4 { WorkerRuns.start { meeting.attend() } }
      expected += 4
      guard meeting.waitFor(expected) else { break }
    }
    return meeting.end()
  }

  /// Where the threads of the pool wait until they are counted.
  private final class Meeting: @unchecked Sendable {
    private let monitor = Monitor()
    // Touched under the monitor.
    private var present = 0
    private var isOver = false

    /// Counts the calling thread, and blocks it until ``end()``.
    func attend() {
      monitor.lock()
      if !isOver { present += 1 }
      monitor.tellOthers()
      while !isOver { monitor.wait() }
      monitor.unlock()
    }

    /// Waits until `count` threads have come.
    ///
    /// - Returns: False if no further thread has come for 10 milliseconds.
    func waitFor(_ count: Int) -> Bool {
      monitor.lock()
      defer { monitor.unlock() }
      while present < count {
        let before = present
        let end = monotonicNanoseconds() + 10_000_000
        while present == before, monotonicNanoseconds() < end { monitor.wait(until: end) }
        if present == before { return false }
      }
      return true
    }

    /// Lets all threads go on, and returns how many there were, at least 1.
    func end() -> Int {
      monitor.lock()
      defer { monitor.unlock() }
      isOver = true
      return max(1, present)
    }
  }
}
