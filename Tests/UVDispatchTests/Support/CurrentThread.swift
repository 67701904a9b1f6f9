import Foundation

/// The thread that asks.
enum CurrentThread {
  /// Never inlined: the compiler may keep `pthread_self` across an `await`.
  @inline(never) static var id: UInt { UInt(pthread_self()) }

  /// As the kernel shows it.
  static var name: String {
    let line = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
    return String(line.dropLast())
  }

  /// Whether signals of this number go to other threads.
  static func blocks(_ signal: CInt) -> Bool {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return unsafe sigismember(&mask, signal) == 1
  }
}
