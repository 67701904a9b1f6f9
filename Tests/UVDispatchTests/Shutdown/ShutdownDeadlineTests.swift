import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("The deadlines of a shutdown")
  struct ShutdownDeadlineTests {
    @Test("that have passed before the loop runs let nothing start any more")
    func passedBeforeRun() throws {
      let dispatcher = try UVDispatcher()
      let handles = (0..<3).map { _ in dispatcher.foreground.submit {} }
      dispatcher.foreground { Issue.record("ran after the drain") }
      dispatcher.beginShutdown(.init(drain: .milliseconds(1), cancel: .zero))
      let over = dispatcher.now.advanced(by: .milliseconds(1))
      while dispatcher.now < over {}

      let report = dispatcher.run()

      #expect(handles.map(\.outcomeIfFinished) == [.cancelled, .cancelled, .cancelled])
      #expect(report.ledger.cancelled == 4)
      #expect(report.unfinished.count == 4)
    }

    @Test("come with bodies that do not end, and the report names those and what still waits")
    func hundredTasks() throws {
      let dispatcher = try UVDispatcher()
      let ended = Latch(dispatcher.effectiveBackgroundWidth)
      let gate = Latch()
      let started = Latch(dispatcher.effectiveBackgroundWidth)
      for number in 0..<dispatcher.effectiveBackgroundWidth {
        dispatcher.background.async(label: "held \(number)") {
          started.open()
          gate.hold(patience)
          ended.open()
        }
      }
      for number in dispatcher.effectiveBackgroundWidth..<100 {
        dispatcher.background.async(label: "task \(number)") { _ = Latch().wait(.milliseconds(50)) }
      }
      #expect(started.wait(patience))

      let begin = ContinuousClock.now
      dispatcher.beginShutdown(.init(drain: .milliseconds(200), cancel: .zero))
      let report = dispatcher.run()
      let time = begin.duration(to: .now)

      #expect(time >= .milliseconds(200))
      #expect(report.ledger.balances)
      #expect(report.ledger.running == 0)
      #expect(report.ledger.waiting == 0)
      let abandoned = report.unfinished.filter { $0.state == .abandoned }
      #expect(
        abandoned.map(\.label)
          == (0..<dispatcher.effectiveBackgroundWidth).map { "held \($0)" })
      #expect(abandoned.allSatisfy { $0.thread != nil && $0.age! >= .milliseconds(200) })
      #expect(report.unfinished.count == 100)
      #expect(report.ledger.cancelled == 100 - dispatcher.effectiveBackgroundWidth)
      gate.open()
      #expect(ended.wait(patience))
    }

    @Test("leave the work that fits into the drain done, and count the rest")
    func partlyDone() throws {
      let dispatcher = try UVDispatcher()
      let ended = Box(0)
      for number in 0..<100 {
        dispatcher.background.async(label: "task \(number)") {
          _ = Latch().wait(.milliseconds(50))
          ended.increment()
        }
      }

      dispatcher.beginShutdown(.init(drain: .milliseconds(200), cancel: .zero))
      let report = dispatcher.run()

      #expect(report.ledger.accepted == 100)
      #expect(report.ledger.balances)
      #expect(report.ledger.completed >= 1)
      #expect(report.ledger.abandoned <= dispatcher.effectiveBackgroundWidth)
      #expect(report.unfinished.count == 100 - report.ledger.completed)
      #expect(Set(report.unfinished.compactMap(\.label)).count == report.unfinished.count)
      dispatcher.waitUntil { $0.running.isEmpty }
      #expect(ended.value == report.ledger.completed + report.ledger.abandoned)
      // What ends after the report changes nothing in it.
      #expect(dispatcher.ledger == report.ledger)
    }

    @Test("are kept although the loop has nothing to do and no timer of its own")
    func quietLoop() throws {
      let dispatcher = try UVDispatcher()
      let (started, gate) = (Latch(), Latch())
      dispatcher.background.async(label: "stuck") {
        started.open()
        gate.hold(patience)
      }
      #expect(started.wait(patience))
      let begun = Box<ContinuousClock.Instant?>(nil)
      let beginner = OtherThread {
        dispatcher.waitUntil { $0.loopThread.isClaimed && $0.loop.mustBeTold }
        begun.value = .now
        dispatcher.beginShutdown(.init(drain: .milliseconds(30), cancel: .milliseconds(30)))
      }

      let report = dispatcher.run()

      #expect(beginner.join())
      let time = try #require(begun.value).duration(to: .now)
      #expect(time >= .milliseconds(60))
      #expect(report.unfinished.map(\.label) == ["stuck"])
      gate.open()
      dispatcher.waitUntil { $0.running.isEmpty }
    }

    @Test("can be shortened while the loop waits for them")
    func shortened() throws {
      let dispatcher = try UVDispatcher()
      let (started, gate) = (Latch(), Latch())
      dispatcher.background.async(label: "stuck") {
        started.open()
        gate.hold(patience)
      }
      #expect(started.wait(patience))
      dispatcher.beginShutdown(.init(drain: .seconds(3600), cancel: .seconds(3600)))
      let shortener = OtherThread {
        dispatcher.waitUntil { $0.loopThread.isClaimed && $0.loop.mustBeTold }
        dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
      }

      let report = dispatcher.run()

      #expect(shortener.join())
      #expect(report.ledger.abandoned == 1)
      gate.open()
      dispatcher.waitUntil { $0.running.isEmpty }
    }

    @Test("let a body that was abandoned go on, and refuse what it submits")
    func abandonedBody() throws {
      let dispatcher = try UVDispatcher()
      let (started, gate, ended) = (Latch(), Latch(), Latch())
      let answers = Box([String]())
      let view = dispatcher.makeQueue(label: "view", width: 1)
      dispatcher.background {
        started.open()
        gate.hold(patience)
        answers.change {
          $0.append("\(CurrentTask.isCancelled)")
          $0.append("\(dispatcher.foreground {})")
          $0.append("\(dispatcher.background.submit {}.cancel())")
          do { try view.sync {} } catch { $0.append("\(error)") }
        }
        ended.open()
      }
      #expect(started.wait(patience))
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))

      let report = dispatcher.run()
      gate.open()
      #expect(ended.wait(patience))

      #expect(report.ledger.abandoned == 1)
      let refused = "refused: the dispatcher is shutting down"
      #expect(answers.value == ["true", refused, "tooLate", refused])
    }
  }
}
