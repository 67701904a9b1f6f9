import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A descriptor that is closed, or whose dispatcher is gone,")
  struct ClosedDescriptorTests {
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
      #expect(dispatcher.engine.withCore { !$0.awaitsEvents })

      #expect(dup2(pipe.readEnd, number) == number)
      let second = try dispatcher.onReady(number, for: .readable) { _ in
        again.increment()
        pipe.read()
      }
      // The number does not belong to the first registration any more.
      registration.cancel()
      dispatcher.runUntilIdle()
      #expect(again.value == 1)

      // Closed while nothing is ready, so no event tells the loop of it.
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
      dispatcher.engine.withCore { dispatcher.engine.queueEventCalls($0, looks: true) }
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
      // The kernel goes on watching the open file, and no call can stop that by this number any more.
      close(number)
      registration.cancel()
      pipe.write()

      for _ in 0..<3 { dispatcher.runUntilIdle() }

      #expect(!dispatcher.engine.loop.mayBeReady)
    }

    @Test("is no business of the dispatcher when the shutdown is over, nor is anything left behind")
    func shutdown() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let pipe = Pipe()
          let before = ThisProcess.descriptors
          for _ in 0..<20 {
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
            dispatcher.beginShutdown()

            dispatcher.run()

            #expect(handler == nil)
            #expect(!registration.isCancelled)
            #expect(throws: EventRefusal.shutDown) {
              try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in }
            }
            registration.cancel()
          }
          // Some descriptors are opened once and belong to the process.
          #expect(ThisProcess.descriptors - before < 20)
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
        dropped.engine.withCore { dropped.engine.queueEventCalls($0, looks: true) }
        #expect(dropped.ledger.waiting == 1)
      }
      #expect(dispatcher == nil)
      #expect(handler == nil)
    }
  }
}
