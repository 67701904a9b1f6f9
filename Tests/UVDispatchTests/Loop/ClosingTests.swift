import Foundation
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// `uv_async_send` must never meet `uv_close`. The test plays the thread that is about to wake the loop, so
  /// it can take as long as it likes.
  @Suite("A loop that has ended is not closed")
  struct ClosingTests {
    @Test("while a thread that has posted is about to wake it")
    func posterInFlight() throws {
      let dispatcher = try UVDispatcher()
      let inbox = dispatcher.inbox(of: .foreground)
      let ran = Box(0)
      let site = CallSite(fileID: #fileID, line: #line)
      // The part of a post that is done under the lock of the inbox.
      #expect(inbox.beginPost())
      #expect(inbox.post(.plain(PlainTask(body: { ran.increment() }, site: site))))
      let loop = LoopThread(dispatcher)

      dispatcher.beginShutdown()
      loop.waitUntilItSleeps()

      #expect(ran.value == 1)
      #expect(!loop.hasReturned)
      dispatcher.engine.notifyConsumer(of: .foreground)
      #expect(loop.join())
    }

    @Test("while a thread that has freed the lock is about to wake it")
    func wakeInFlight() throws {
      let dispatcher = try UVDispatcher()
      let core = dispatcher.engine.lock()
      core.loop.want()
      core.reconcile()
      #expect(core.loop.isPending)
      #expect(core.loop.inFlight == 1)
      // The part of an unlock that is done under the lock.
      _ = core.loop.takePending()
      core.loop.endIteration(again: false)
      dispatcher.engine.unlock()
      let loop = LoopThread(dispatcher)

      dispatcher.beginShutdown()
      loop.waitUntilItSleeps()

      #expect(!loop.hasReturned)
      dispatcher.engine.loop.wake()
      dispatcher.engine.withCore { $0.loop.endWake() }
      #expect(loop.join())
    }
  }

  @Suite("A loop that has ended")
  struct ClosedLoopTests {
    @Test("has given its descriptors back when run() returns, whatever refers to the dispatcher")
    func descriptors() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          // The first dispatcher of a process opens more descriptors: some for all loops, and some for worker
          // runs.
          let first = try UVDispatcher()
          first.beginShutdown()
          first.run()
          let before = ThisProcess.descriptors
          let dispatcher = try UVDispatcher()
          #expect(ThisProcess.descriptors > before)
          dispatcher.beginShutdown()

          dispatcher.run()

          #expect(ThisProcess.descriptors == before)
          withExtendedLifetime((first, dispatcher)) {}
        }
      }
    }
  }
}

/// A thread that calls `run()`.
private final class LoopThread: Sendable {
  private let dispatcher: UVDispatcher
  private let number: Box<String?>
  private let returned = Latch()
  private let thread: OtherThread

  init(_ dispatcher: UVDispatcher) {
    let (number, returned) = (Box<String?>(nil), returned)
    thread = OtherThread {
      number.value = try? FileManager.default
        .destinationOfSymbolicLink(atPath: "/proc/thread-self")
      dispatcher.run()
      returned.open()
    }
    self.number = number
    self.dispatcher = dispatcher
  }

  var hasReturned: Bool { returned.isOpen }

  func join() -> Bool { thread.join() }

  /// Waits until the loop is over and its thread sleeps, or until the thread has returned all the same.
  func waitUntilItSleeps() {
    // No event tells of this moment, so the test looks again and again.
    while !dispatcher.engine.withCore({ $0.loop.isOver }) {}
    while !hasReturned {
      let status = try? String(
        contentsOfFile: "/proc/\(number.value ?? "self")/status", encoding: .utf8)
      if status?.contains("State:\tS") == true { return }
    }
  }
}
