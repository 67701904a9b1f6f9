internal import CUV
internal import Glibc

/// What is known of libuv's thread pool, which the whole process shares.
enum ThreadPool {
  /// How many threads it has: 4, unless `UV_THREADPOOL_SIZE` says something else, at most 1024.
  ///
  /// Libuv reads the variable once, when somebody first uses the pool, and this does too: a later
  /// change has no effect on either.
  ///
  /// - Throws: ``UVDispatcher/ConfigurationError`` if the variable is not a number that means
  ///   something: libuv would take it for 1 or for 1024 without a word.
  static func threads() throws(UVDispatcher.ConfigurationError) -> Int {
    switch size {
    case .success(let count): return count
    case .failure(let error): throw error
    }
  }

  private static let size: Result<Int, UVDispatcher.ConfigurationError> = {
    guard let text = unsafe getenv("UV_THREADPOOL_SIZE").map({ unsafe String(cString: $0) }) else {
      return .success(4)
    }
    guard let count = Int(text), count >= 1, count <= 1024 else {
      return .failure(.threadPoolSize(text))
    }
    return .success(count)
  }()
}
