import Foundation

/// The calling thread.
enum CurrentThread {
  /// Never inlined: the compiler may keep `pthread_self` across an `await`.
  @inline(never) static var id: UInt { UInt(pthread_self()) }

  /// Its name, as the kernel shows it.
  static var name: String {
    let line = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
    return String(line.dropLast())
  }

  /// Whether it blocks `signal`, so that other threads get it.
  static func blocks(_ signal: CInt) -> Bool {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return unsafe sigismember(&mask, signal) == 1
  }
}
