import Glibc
import TaskDispatch
import TestSupport
import Testing

@testable import UVDispatch

/// Here a watch writes into a pipe. The number of bytes shows how often it has written.
@Suite("A watch of a signal")
struct SignalWatchTests {
  /// The bytes of one write, as an eventfd takes them.
  private let wake = 8

  @Test("writes into what it was given for each delivery, and no more once it has ended")
  func writes() throws {
    let signal = Signal(rawValue: 38)
    let (first, second) = (Pipe(), Pipe())
    let ends = try SignalWatch(signal, waking: first.writeEnd)
    let stays = try SignalWatch(signal, waking: second.writeEnd)
    deliver(signal, times: 2)
    #expect(first.read(100) == 2 * wake)
    #expect(second.read(100) == 2 * wake)

    ends.end()
    ends.end()
    deliver(signal)

    #expect(first.read(100) < 0)
    #expect(second.read(100) == wake)
    #expect(stays.takeDeliveries() == 3)
    #expect(stays.takeDeliveries() == 0)
    stays.end()
  }

  @Test("that comes after another has ended takes its place, and no third is disturbed")
  func reuse() throws {
    let signal = Signal(rawValue: 37)
    let pipes = (0..<3).map { _ in Pipe() }
    let stays = try SignalWatch(signal, waking: pipes[0].writeEnd)
    for round in 0..<100 {
      let watch = try SignalWatch(signal, waking: pipes[1 + round % 2].writeEnd)
      deliver(signal)
      watch.end()
    }
    #expect(pipes[0].read(1000) == 100 * wake)
    #expect(pipes[1].read(1000) == 50 * wake)
    #expect(pipes[2].read(1000) == 50 * wake)
    stays.end()
  }

  @Test("leaves errno as it was, also if there is no room to write")
  func errnoStays() throws {
    let signal = Signal(rawValue: 36)
    let full = Pipe()
    full.fill()
    let watch = try SignalWatch(signal, waking: full.writeEnd)
    var only = sigset_t()
    unsafe sigemptyset(&only)
    unsafe sigaddset(&only, signal.rawValue)
    unsafe pthread_sigmask(SIG_UNBLOCK, &only, nil)

    errno = 77
    raise(signal.rawValue)
    let left = errno

    unsafe pthread_sigmask(SIG_BLOCK, &only, nil)
    watch.end()
    #expect(left == 77)
    #expect(watch.takeDeliveries() == 1)
  }

  @Test("of what is no signal says which call was refused, and why")
  func refused() {
    #expect(throws: UVError(call: "sigaction", status: -EINVAL)) {
      try SignalWatch(.kill, waking: 0)
    }
  }
}
