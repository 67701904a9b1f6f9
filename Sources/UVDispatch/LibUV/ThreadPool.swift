internal import CUV
internal import Glibc
internal import TaskDispatch

/// What is known of libuv's thread pool, which the whole process shares.
enum ThreadPool {
  /// How many threads it has: 4, unless `UV_THREADPOOL_SIZE` said something else when somebody first
  /// used the pool, which this does unless somebody has. A later change has no effect.
  ///
  /// - Throws: ``UVDispatcher/ConfigurationError`` if the variable is not a number that means
  ///   something: libuv would take it for 1 or for 1024 without a word. ``UVError`` if the system has
  ///   no descriptors left.
  static func threads() throws -> Int {
    try known.withLock { known in
      if let known { return known }
      // Asked before the pool is started with it.
      let now = try size(unsafe getenv("UV_THREADPOOL_SIZE").map { unsafe String(cString: $0) })
      try Leases.prepare()
      let before = threadsOfProcess
      SignalMasks.whileThatOfBodies { Leases.start {} }
      // Libuv starts them all at once. If none has come, somebody has used the pool before, and what
      // the variable said then nobody knows.
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

  /// A directory has as many links as it has subdirectories, and two.
  private static var threadsOfProcess: Int {
    var status = stat()
    return unsafe stat("/proc/self/task", &status) == 0 ? Int(status.st_nlink) - 2 : 0
  }

  /// How many threads of the pool are free to meet: stops each for some milliseconds.
  ///
  /// Too few if others use the pool meanwhile, which costs them nothing.
  private static func measure() -> Int {
    let meeting = Meeting()
    var expected = 0
    while expected < 1024 {
      for _ in 0..<4 { Leases.start { meeting.attend() } }
      expected += 4
      guard meeting.waitFor(expected) else { break }
    }
    return meeting.end()
  }

  /// Threads of the pool that stand still until everybody is there who will come.
  private final class Meeting: @unchecked Sendable {
    private let monitor = Monitor()
    // Touched under the monitor.
    private var present = 0
    private var isOver = false

    func attend() {
      monitor.lock()
      if !isOver { present += 1 }
      monitor.tellOthers()
      while !isOver { monitor.wait() }
      monitor.unlock()
    }

    /// Whether so many come. Gives up when for 10 milliseconds nobody has.
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

    /// Lets everybody go, and says how many there were.
    func end() -> Int {
      monitor.lock()
      defer { monitor.unlock() }
      isOver = true
      return max(1, present)
    }
  }
}
