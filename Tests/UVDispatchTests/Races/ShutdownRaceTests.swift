import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A shutdown that races")
  struct ShutdownRaceTests {
    @Test("resume() runs or cancels each task of the view, and loses none")
    func resume() throws {
      for _ in 0..<100 {
        let dispatcher = try UVDispatcher()
        let view = dispatcher.makeQueue(label: "view", width: 2)
        let released = Latch(10)
        let ran = Box(0)
        view.suspend()
        for _ in 0..<10 { view(body(releasing: released) { ran.increment() }) }
        try dispatcher.start()

        let ended = race(
          { view.resume() },
          { dispatcher.beginShutdown(.init(drain: .seconds(3600))) })
        dispatcher.waitUntil { $0.loop.isOver }

        let report = try #require(dispatcher.report)
        #expect(ended)
        #expect(report.ledger.balances)
        #expect(report.ledger.completed == ran.value)
        #expect(report.ledger.completed + report.ledger.cancelled == 10)
        #expect(report.unfinished.count == report.ledger.cancelled)
        #expect(released.wait(patience))
      }
    }

    @Test("posters of eight threads runs what it accepted, and nothing else")
    func posters() throws {
      for _ in 0..<5 {
        let dispatcher = try UVDispatcher()
        let accepted = Box(0)
        let ran = Box(0)
        let released = Box(0)
        let enough = Latch(1_000)
        let posters = (0..<8).map { number in
          OtherThread {
            let queue = number.isMultiple(of: 2) ? dispatcher.foreground : dispatcher.background
            while true {
              let admission = queue {
                ran.increment()
                enough.open()
              }
              guard admission.isAccepted else { break }
              accepted.increment()
            }
            released.increment()
          }
        }
        let ender = OtherThread {
          enough.hold(patience)
          dispatcher.beginShutdown(.init(drain: .seconds(3600)))
        }

        let report = dispatcher.run()

        for poster in posters { #expect(poster.join()) }
        #expect(ender.join())
        #expect(report.ledger.balances)
        #expect(report.ledger.accepted == accepted.value)
        #expect(report.ledger.completed == ran.value)
        #expect(ran.value == accepted.value)
      }
    }

    @Test("the return of run() lets every later submission be refused, and no thread traps")
    func endOfRun() throws {
      for _ in 0..<40 {
        let dispatcher = try UVDispatcher()
        let isOver = Box(false)
        let wrong = Box(0)
        let begun = Latch(3)
        let posters = (0..<3).map { number in
          OtherThread {
            begun.open()
            while !isOver.value {
              let over = dispatcher.report != nil
              // If a wake-up were on its way when the loop's handle is closed, it would trap here.
              let admission =
                number == 0
                ? dispatcher.foreground {}
                : number == 1
                  ? dispatcher.background {}
                  : dispatcher.foreground.submit {}.cancel() == .tooLate
                    ? .refused(.shutDown) : .accepted
              if over, admission.isAccepted { wrong.increment() }
            }
          }
        }
        #expect(begun.wait(patience))
        dispatcher.beginShutdown(.init(drain: .seconds(3600)))

        let report = dispatcher.run()
        isOver.value = true

        for poster in posters { #expect(poster.join()) }
        #expect(report.ledger.balances)
        #expect(wrong.value == 0)
      }
    }

    @Test("timers, repeats and sleeps ends each of them once")
    func timers() async throws {
      for _ in 0..<50 {
        let dispatcher = try UVDispatcher()
        let released = Latch(40)
        for number in 0..<20 {
          dispatcher.foreground.after(.microseconds(50 * number), body(releasing: released))
          dispatcher.background.every(.microseconds(50 + number), body(releasing: released))
        }
        let sleeps = (0..<10).map { number in
          Task {
            do {
              try await dispatcher.clock.sleep(for: .microseconds(100 * number))
              return true
            } catch is CancellationError {
              return true
            } catch {
              return false
            }
          }
        }
        try dispatcher.start()

        let report = await dispatcher.shutdown(.init(drain: .seconds(3600)))

        for sleep in sleeps { #expect(await sleep.value) }
        #expect(report.ledger.balances)
        #expect(report.ledger.waiting == 0)
        #expect(await onOtherThread { released.wait(patience) })
      }
    }
  }
}
