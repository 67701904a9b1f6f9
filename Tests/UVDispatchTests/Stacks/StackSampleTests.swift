import Glibc
import Synchronization
import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A sample of a thread")
struct StackSampleTests {
  /// Signals that nothing else in the process uses, each for one test: handlers stay.
  private enum Own {
    static let silent: CInt = 40
    static let replaced: CInt = 41
    static let foreign: CInt = 42
  }

  private static func spinning() -> StuckThread {
    StuckThread { place in
      place.arrive()
      while place.isStuck {}
    }
  }

  @Test("of a thread that has ended is refused")
  func ended() {
    let thread = Self.spinning()
    thread.letGo()
    #expect(StackSample.prepare(signal: SIGURG) == 0)
    // The thread opens a latch before it ends.
    while true {
      do throws(StackSample.Failure) {
        _ = try StackSample.take(of: thread.id, signal: SIGURG)
      } catch {
        #expect(error == .gone || error == .restless || error == .silent)
        if error == .gone { break }
      }
    }
  }

  @Test("of a thread that blocks the signal comes to nothing, and the answer that comes late too")
  func silent() throws {
    #expect(StackSample.prepare(signal: Own.silent) == 0)
    let unblocks = Latch()
    let hasUnblocked = Latch()
    let isBlocked = Latch()
    let stuck = StuckThread { place in
      var (one, before) = (sigset_t(), sigset_t())
      unsafe sigemptyset(&one)
      unsafe sigaddset(&one, Own.silent)
      unsafe pthread_sigmask(SIG_BLOCK, &one, &before)
      place.arrive()
      isBlocked.open()
      while place.isStuck {}
      unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
      hasUnblocked.open()
      unblocks.hold(patience)
    }
    isBlocked.hold(patience)
    #expect(throws: StackSample.Failure.silent) {
      try StackSample.take(of: stuck.id, signal: Own.silent, patience: .milliseconds(2))
    }
    let other = Self.spinning()
    stuck.place.goesOn.store(false, ordering: .relaxed)
    hasUnblocked.hold(patience)
    // The late answer was for another request.
    let sample = try StackSample.take(of: other.id, signal: Own.silent)
    let frames = UnwinderTests.unwinder.frames(of: sample)
    if !ThisProcess.isUnderThreadSanitizer {
      #expect(frames.suffix(5).map(\.address) == other.place.judgement.value.suffix(5))
    }
    unblocks.open()
    stuck.letGo()
    other.letGo()
  }

  @Test("is refused if other code has taken the signal")
  func replaced() {
    #expect(StackSample.prepare(signal: Own.replaced) == 0)
    signal(Own.replaced) { _ in }
    let thread = Self.spinning()
    defer { thread.letGo() }
    #expect(throws: StackSample.Failure.replaced) {
      try StackSample.take(of: thread.id, signal: Own.replaced)
    }
    // Making the process ready again does not take the signal back: that handler may call this one.
    #expect(StackSample.prepare(signal: Own.replaced) == 0)
    #expect(throws: StackSample.Failure.replaced) {
      try StackSample.take(of: thread.id, signal: Own.replaced)
    }
  }

  private static let foreignDeliveries = Atomic(0)

  @Test("leaves deliveries of others to the handler that was there before")
  func foreign() throws {
    signal(Own.foreign) { _ in
      StackSampleTests.foreignDeliveries.add(1, ordering: .relaxed)
    }
    #expect(StackSample.prepare(signal: Own.foreign) == 0)
    #expect(StackSample.prepare(signal: Own.foreign) == 0)
    let thread = Self.spinning()
    defer { thread.letGo() }
    _ = try StackSample.take(of: thread.id, signal: Own.foreign)
    #expect(Self.foreignDeliveries.load(ordering: .relaxed) == 0)
    onAnotherThread {
      var none = sigset_t()
      unsafe sigemptyset(&none)
      unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
      raise(Own.foreign)
    }
    #expect(Self.foreignDeliveries.load(ordering: .relaxed) == 1)
  }

  @Test("needs a signal that there is")
  func noSuchSignal() {
    #expect(StackSample.prepare(signal: 0) == EINVAL)
    #expect(StackSample.prepare(signal: 65) == EINVAL)
    #expect(StackSample.prepare(signal: SIGKILL) == EINVAL)
  }

  /// What threads are in at random moments. Each loop uses what a handler must not wait for.
  static let storms: [(String, @Sendable (StuckThread.Place) -> Void)] = [
    ("allocating", Storms.allocate), ("counting references", Storms.countReferences),
    ("loading libraries", Storms.loadLibraries), ("unwinding", Storms.unwind),
    ("making strings", Storms.makeStrings),
  ]

  @Test(
    "is taken 10 000 times at random moments, whatever the thread holds, and finds the function",
    arguments: 0..<storms.count)
  func storm(number: Int) throws {
    let (name, body) = Self.storms[number]
    let thread = StuckThread(body)
    #expect(StackSample.prepare(signal: SIGURG) == 0)
    let bottom = thread.place.judgement.value.suffix(4)
    let count = ThisProcess.isSanitized ? 100 : 2000
    var (taken, complete) = (0, 0)
    for _ in 0..<count {
      do throws(StackSample.Failure) {
        let sample = try StackSample.take(of: thread.id, signal: SIGURG)
        taken += 1
        let frames = UnwinderTests.unwinder.frames(of: sample)
        if frames.suffix(4).map(\.address) == Array(bottom) { complete += 1 }
      } catch {
        // Each other one is a failure of this test.
        #expect(
          error == .restless || (error == .silent && ThisProcess.isUnderThreadSanitizer), "\(name)")
      }
    }
    thread.letGo()
    // A library that was loaded later has no tables here.
    let least = taken * (number != 2 ? 99 : ThisProcess.isSanitized ? 20 : 50) / 100
    // ThreadSanitizer calls a handler later, and from its own functions.
    if ThisProcess.isUnderThreadSanitizer { return }
    #expect(complete >= least, "\(name): \(complete) of \(taken)")
    #expect(taken >= count * 9 / 10, "\(name)")
  }
}

private enum Storms {
  @inline(never) static func allocate(_ place: StuckThread.Place) {
    place.arrive()
    var size = 16
    while place.isStuck {
      let (small, large) = unsafe (malloc(size), malloc(100_000 + size))
      unsafe keep(small)
      unsafe keep(large)
      unsafe free(small)
      unsafe free(large)
      size = size % 5000 + 1
    }
  }

  private final class Object {}

  @inline(never) static func countReferences(_ place: StuckThread.Place) {
    place.arrive()
    let objects = [Object(), Object()]
    var kept = objects[0]
    while place.isStuck { kept = objects[kept === objects[0] ? 1 : 0] }
  }

  @inline(never) static func loadLibraries(_ place: StuckThread.Place) {
    place.arrive()
    while place.isStuck {
      // Any that the process does not use.
      if let library = unsafe dlopen("libanl.so.1", RTLD_NOW) { unsafe dlclose(library) }
    }
  }

  @inline(never) static func unwind(_ place: StuckThread.Place) {
    place.arrive()
    while place.isStuck { _ = StuckThread.returnAddresses() }
  }

  @inline(never) static func makeStrings(_ place: StuckThread.Place) {
    place.arrive()
    var text = ""
    while place.isStuck {
      text += "ä\(text.count)"
      if text.utf8.count > 200 { text = "" }
    }
  }

  /// The compiler leaves out memory that nothing can see.
  @inline(never) @_optimize(none) private static func keep(_ memory: UnsafeMutableRawPointer?) {}
}
