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
      Leases.start {}
      // Libuv starts them all at once. If none has come, another has used the pool before, and has
      // probably seen what the process was started with.
      let isOurs = threadsOfProcess > before
      let count = try isOurs ? now : size(initialVariable("UV_THREADPOOL_SIZE"))
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

  /// The value that the process was started with.
  private static func initialVariable(_ name: String) -> String? {
    let descriptor = unsafe open("/proc/self/environ", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes.split(separator: 0).lazy.map { String(decoding: $0, as: UTF8.self) }
      .first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
  }
}
