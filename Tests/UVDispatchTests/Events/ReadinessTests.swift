import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A descriptor")
  struct ReadinessTests {
    @Test("calls its handler on the foreground, under its label, while there is something to read")
    func readable() throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      let log = Box([String]())
      let registration = try dispatcher.onReady(pipe.readEnd, for: .readable, label: "input") {
        ready in
        pipe.read()
        let label = CurrentTask.label ?? "none"
        log.change { $0.append("\(ready) \(dispatcher.isForeground) \(label)") }
      }

      dispatcher.runUntilIdle()
      #expect(log.value.isEmpty)
      pipe.write(3)
      dispatcher.runUntilIdle()

      // The registration and the dispatcher hold each other until it is cancelled.
      registration.cancel()
      #expect(log.value == Array(repeating: "readable true input", count: 3))
      #expect(dispatcher.ledger.completed == 3)
      #expect(dispatcher.ledger.balances)
    }

    @Test("wakes a loop that waits, also if it is watched from another thread")
    func wakes() throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      try dispatcher.start()
      for _ in 0..<3 {
        let came = Latch()
        #expect(
          OtherThread {
            _ = try? dispatcher.onReady(pipe.readEnd, for: .readable) { _ in
              pipe.read()
              came.open()
            }
          }.join())
        pipe.write()
        #expect(came.wait(patience))
        dispatcher.engine.withCore { $0.removeAllHandlers() }
      }
      dispatcher.end()
    }

    @Test("tells what of it was asked for, and nothing else")
    func interest() throws {
      let dispatcher = try UVDispatcher()
      let (here, there) = socketPair()
      defer { close(here) }
      let log = Box([Readiness]())
      let registration = Box<Registration?>(nil)
      func watch(_ interest: Readiness) throws {
        registration.value = try dispatcher.onReady(here, for: interest) { ready in
          log.change { $0.append(ready) }
          registration.value?.cancel()
        }
        dispatcher.runUntilIdle()
        registration.value?.cancel()
      }

      try watch(.readable)
      try watch([.readable, .disconnected])
      #expect(log.value == [])
      try watch(.writable)
      try watch([.readable, .writable])
      #expect(log.value == [.writable, .writable])
      log.value = []
      close(there)
      try watch(.disconnected)
      try watch(.readable)
      try watch([.readable, .writable, .disconnected])
      #expect(
        log.value == [.disconnected, .readable, [.readable, .writable, .disconnected]])
    }

    @Test("that is broken is ready for all that was asked for")
    func broken() throws {
      let dispatcher = try UVDispatcher()
      let ends = Pipe()
      let other = dup(ends.writeEnd)
      ends.fill()
      let log = Box([Readiness]())
      let registration = Box<Registration?>(nil)
      registration.value = try dispatcher.onReady(other, for: .writable) { ready in
        log.change { $0.append(ready) }
        registration.value?.cancel()
      }
      dispatcher.runUntilIdle()
      #expect(log.value.isEmpty)
      // No end is left to read from, so writing fails at once.
      close(ends.readEnd)

      dispatcher.runUntilIdle()

      #expect(log.value == [.writable])
      // `Pipe` closes that number once more when it is destroyed.
      #expect(dup2(other, ends.readEnd) == ends.readEnd)
      close(other)
    }

    @Test("is not told of once its registration was cancelled, on the loop or elsewhere")
    func cancelled() throws {
      let (dispatcher, first, second) = (try UVDispatcher(), Pipe(), Pipe())
      weak var handler: Box<Int>?
      let calls = Box(0)
      let registrations = Box([Registration]())
      do {
        let token = Box(0)
        handler = token
        for pipe in [first, second] {
          let registration = try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in
            token.increment()
            calls.increment()
            // Both descriptors are ready, so both calls wait on the foreground.
            for registration in registrations.value { registration.cancel() }
          }
          registrations.change { $0.append(registration) }
        }
      }
      first.write()
      second.write()

      dispatcher.runUntilIdle()

      #expect(calls.value == 1)
      #expect(handler == nil)
      for pipe in [first, second] {
        #expect(
          dispatcher.engine.withCore {
            $0.events.readySet?.waitAgain(pipe.readEnd, for: .readable, token: 0) == false
          })
      }
      #expect(dispatcher.ledger.cancelled == 1)
      #expect(dispatcher.ledger.balances)
      try dispatcher.onReady(first.readEnd, for: .readable) { _ in
        first.read()
        calls.increment()
      }
      dispatcher.runUntilIdle()
      #expect(calls.value == 2)
    }

    @Test("that cannot be watched is refused with the reason")
    func refusals() throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      let file = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
      let directory = unsafe open("/", O_RDONLY | O_CLOEXEC)
      defer {
        close(file)
        close(directory)
      }
      func expect(_ refusal: EventRefusal, _ descriptor: CInt, _ interest: Readiness = .readable) {
        #expect(throws: refusal) { try dispatcher.onReady(descriptor, for: interest) { _ in } }
      }
      // A number that no descriptor gets by itself.
      let closed = dup2(file, 900)
      close(closed)

      expect(.notOpen(-1), -1)
      expect(.notOpen(closed), closed)
      expect(.cannotBeWatched(file), file)
      expect(.cannotBeWatched(directory), directory)
      expect(.nothingToWatchFor(pipe.readEnd), pipe.readEnd, [])
      #expect(dispatcher.engine.withCore { !$0.awaitsEvents })

      let registration = try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in }
      expect(.alreadyWatched(pipe.readEnd), pipe.readEnd, .writable)
      registration.cancel()
      try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in }.cancel()
    }

    @Test("may be one of hundreds that are ready at once")
    func hundreds() throws {
      let dispatcher = try UVDispatcher()
      let pipes = (0..<200).map { _ in Pipe() }
      let calls = Box([CInt: Int]())
      for pipe in pipes {
        try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in
          pipe.read()
          calls.change { $0[pipe.readEnd, default: 0] += 1 }
        }
        pipe.write(2)
      }

      dispatcher.runUntilIdle()

      #expect(calls.value.count == 200)
      #expect(calls.value.values.allSatisfy { $0 == 2 })
    }

    @Test("that stays ready keeps neither posted tasks nor timers nor others from running")
    func staysReady() throws {
      let (dispatcher, pipe, other) = (try UVDispatcher(), Pipe(), Pipe())
      let others = Latch(1)
      try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in }
      try dispatcher.onReady(other.readEnd, for: .readable) { _ in
        other.read()
        others.open()
      }
      pipe.write()
      try dispatcher.start()

      for _ in 0..<100 {
        let turn = Latch(2)
        dispatcher.foreground { turn.open() }
        dispatcher.foreground.after(.microseconds(1)) { turn.open() }
        #expect(turn.wait(patience))
      }
      #expect(!others.isOpen)
      other.write()
      #expect(others.wait(patience))

      dispatcher.end()
      #expect(others.missing == 0)
    }
  }
}
