import Glibc
import TaskDispatch
import Testing

@testable import TaskDispatchTesting
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

      // It holds the dispatcher, which holds it.
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
        dispatcher.withCore { $0.removeAllHandlers() }
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
      // Nobody can read any more, so writing fails at once.
      close(ends.readEnd)

      dispatcher.runUntilIdle()

      #expect(log.value == [.writable])
      // The pipe closes that number once more.
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
            // Both are ready, and wait for their turn.
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
          dispatcher.withCore {
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
      // A number that nothing gets by itself.
      let closed = dup2(file, 900)
      close(closed)

      expect(.notOpen(-1), -1)
      expect(.notOpen(closed), closed)
      expect(.cannotBeWatched(file), file)
      expect(.cannotBeWatched(directory), directory)
      expect(.nothingToWatchFor(pipe.readEnd), pipe.readEnd, [])
      #expect(dispatcher.withCore { !$0.awaitsEvents })

      let registration = try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in }
      expect(.alreadyWatched(pipe.readEnd), pipe.readEnd, .writable)
      registration.cancel()
      try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in }.cancel()
    }

    @Test("that is closed behind the loop's back does no harm, and its number can be watched again")
    func closedBehindItsBack() throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      let (calls, again) = (Box(0), Box(0))
      let number = dup(pipe.readEnd)
      let registration = try dispatcher.onReady(number, for: .readable) { _ in
        calls.increment()
        close(number)
      }
      pipe.write()
      dispatcher.runUntilIdle()
      dispatcher.runUntilIdle()
      #expect(calls.value == 1)
      #expect(dispatcher.withCore { !$0.awaitsEvents })

      #expect(dup2(pipe.readEnd, number) == number)
      let second = try dispatcher.onReady(number, for: .readable) { _ in
        again.increment()
        pipe.read()
      }
      // It is not the first one's any more.
      registration.cancel()
      dispatcher.runUntilIdle()
      #expect(again.value == 1)

      // Closed while nothing of it is ready, of which nobody tells the loop.
      let other = Pipe()
      close(number)
      #expect(dup2(other.readEnd, number) == number)
      let third = try dispatcher.onReady(number, for: .readable) { _ in
        again.increment()
        other.read()
      }
      second.cancel()
      other.write()
      dispatcher.runUntilIdle()
      #expect(again.value == 2)
      third.cancel()
      close(number)
    }

    @Test("that is closed and given to another file while its call waits can be watched for that")
    func reusedWhileItsCallWaits() throws {
      let (dispatcher, first, second) = (try UVDispatcher(), Pipe(), Pipe())
      let log = Box([String]())
      let number = dup(first.readEnd)
      try dispatcher.onReady(number, for: .readable) { _ in log.change { $0.append("first") } }
      first.write()
      dispatcher.withCore { dispatcher.settleEvents($0, looks: true) }
      #expect(dispatcher.ledger.waiting == 1)
      #expect(dup2(second.readEnd, number) == number)

      let registration = try dispatcher.onReady(number, for: .readable) { _ in
        log.change { $0.append("second") }
        second.read()
      }
      second.write()
      dispatcher.runUntilIdle()

      #expect(log.value == ["second"])
      registration.cancel()
      close(number)
    }

    @Test("that was closed while its file is open elsewhere does not keep the loop awake")
    func openElsewhere() throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      let number = dup(pipe.readEnd)
      let registration = try dispatcher.onReady(number, for: .readable) { _ in }
      dispatcher.runUntilIdle()
      // The kernel goes on watching the file, and nobody can tell it not to by that number.
      close(number)
      registration.cancel()
      pipe.write()

      for _ in 0..<3 { dispatcher.runUntilIdle() }

      #expect(!dispatcher.loop.mayBeReady)
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

    @Test("that stays ready keeps neither posted tasks nor timers nor others from their turn")
    func staysReady() throws {
      let (dispatcher, pipe, other) = (try UVDispatcher(), Pipe(), Pipe())
      let others = Box(0)
      try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in }
      try dispatcher.onReady(other.readEnd, for: .readable) { _ in
        other.read()
        others.increment()
      }
      pipe.write()
      try dispatcher.start()

      for _ in 0..<100 {
        let turn = Latch(2)
        dispatcher.foreground { turn.open() }
        dispatcher.foreground.after(.microseconds(1)) { turn.open() }
        #expect(turn.wait(patience))
      }
      let came = Latch()
      other.write()
      dispatcher.foreground.after(.milliseconds(2)) { came.open() }
      #expect(came.wait(patience))

      dispatcher.end()
      #expect(others.value == 1)
    }

    @Test("is no business of the dispatcher when the shutdown is over, nor is anything left behind")
    func shutdown() async {
      await #expect(processExitsWith: .success) {
        try standingStill {
          let pipe = Pipe()
          // The first opens what the process keeps.
          let first = try UVDispatcher()
          try first.start()
          first.end()
          let before = ThisProcess.descriptors
          weak var handler: Box<Int>?
          let dispatcher = try UVDispatcher()
          let registration: Registration
          do {
            let token = Box(0)
            handler = token
            registration = try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in
              token.increment()
            }
          }
          try dispatcher.start()

          dispatcher.end()

          #expect(handler == nil)
          #expect(!registration.isCancelled)
          #expect(ThisProcess.descriptors == before)
          #expect(throws: EventRefusal.shutDown) {
            try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in }
          }
          registration.cancel()
        }
      }
    }

    @Test("is let go of with a dispatcher whose loop never ran, its call and its handler too")
    func neverRun() throws {
      let pipe = Pipe()
      weak var handler: Box<Int>?
      weak var dispatcher: UVDispatcher?
      do {
        let dropped = try UVDispatcher()
        dispatcher = dropped
        let token = Box(0)
        handler = token
        try dropped.onReady(pipe.readEnd, for: .readable) { _ in token.increment() }
        pipe.write()
        dropped.withCore { dropped.settleEvents($0, looks: true) }
        #expect(dropped.ledger.waiting == 1)
      }
      #expect(dispatcher == nil)
      #expect(handler == nil)
    }
  }

  @Suite("A write to a pipe that nobody reads")
  struct BrokenPipeTests {
    @Test("fails on the loop's thread, and does not end the process", arguments: [false, true])
    func onTheLoop(isStarted: Bool) async {
      await #expect(processExitsWith: .success) { [isStarted] in
        try standingStill {
          let dispatcher = try UVDispatcher()
          let (here, there) = socketPair()
          close(there)
          let error = Box<CInt>(0)
          dispatcher.foreground {
            var byte: UInt8 = 1
            if unsafe write(here, &byte, 1) < 0 { error.value = errno }
            dispatcher.beginShutdown()
          }
          if isStarted {
            try dispatcher.start()
            dispatcher.end()
          } else {
            dispatcher.run()
          }
          #expect(error.value == EPIPE)
        }
      }
    }

    @Test("has left nothing behind when the loop has ended: the thread is as it was")
    func afterTheLoop() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try standingStill {
          let dispatcher = try UVDispatcher()
          let (here, there) = socketPair()
          close(there)
          @Sendable func tryToWrite() {
            var byte: UInt8 = 1
            _ = unsafe write(here, &byte, 1)
          }
          dispatcher.foreground(tryToWrite)
          dispatcher.runUntilIdle()
          // The first is neither pending nor was it let through, which would have ended the process;
          // the second is not held back.
          signal(SIGPIPE) { _ in _exit(7) }
          tryToWrite()
        }
      }
    }
  }
}
