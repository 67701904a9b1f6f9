import Foundation
import Glibc
import Synchronization
import TaskDispatchTesting
import TestSupport

@testable import TaskDispatch

/// A thread that stays in one function until it is let go, and knows by itself how it came there.
final class StuckThread: Sendable {
  /// What the function of the thread uses.
  final class Place: Sendable {
    let goesOn = Atomic(true)
    /// The return addresses that the unwinder of the C library finds from inside the function, the innermost first.
    let judgement = Box([UInt64]())
    /// To wait in the kernel.
    let pipe = TestSupport.Pipe()
    fileprivate let isThere = Latch()

    var isStuck: Bool { goesOn.load(ordering: .relaxed) }

    /// The function that is stuck calls this first.
    @inline(never) func arrive() {
      judgement.value = StuckThread.returnAddresses()
      isThere.open()
    }

    /// Waits in the kernel until the thread is let go.
    @inline(never) func waitInKernel() {
      var descriptor = pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)
      let answer = unsafe poll(&descriptor, 1, -1)
      precondition(answer == 1, "the wait was cut short: \(answer), errno \(errno)")
    }
  }

  let id: ThreadID
  let place = Place()
  private let thread: OtherThread

  /// - Parameter body: Calls ``Place/arrive()``, and stays until ``Place/isStuck`` is false, or in
  ///   ``Place/waitInKernel()``.
  init(_ body: @escaping @Sendable (Place) -> Void) {
    let number = Box(ThreadID())
    let place = place
    thread = OtherThread {
      // Threads of Swift's Tasks, which run the tests, block all signals, and so does what they start.
      var none = sigset_t()
      unsafe sigemptyset(&none)
      unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
      number.value = .ask()
      body(place)
    }
    place.isThere.hold(patience)
    id = number.value
  }

  /// Returns when the thread is in ``Place/waitInKernel()``.
  func waitUntilInKernel() throws {
    // The number of `poll` on x86-64 comes first.
    while try !String(contentsOfFile: "/proc/self/task/\(id.number)/syscall", encoding: .ascii)
      .hasPrefix("7 ")
    {}
  }

  func letGo() {
    place.goesOn.store(false, ordering: .relaxed)
    place.pipe.write()
    precondition(thread.join(), "a stuck thread did not go on")
  }

  /// By `backtrace` of the C library, which the module of that library does not export.
  static func returnAddresses() -> [UInt64] {
    typealias Backtrace =
      @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, CInt) -> CInt
    let function = unsafe unsafeBitCast(dlsym(nil, "backtrace"), to: Backtrace.self)
    var addresses = unsafe [UnsafeMutableRawPointer?](repeating: nil, count: 200)
    let count = unsafe Int(function(&addresses, 200))
    return unsafe addresses.prefix(count).map { UInt64(UInt(bitPattern: $0)) }
  }
}
