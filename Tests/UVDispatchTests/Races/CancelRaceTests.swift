import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A cancellation that races")
  struct CancelRaceTests {
    @Test("the start of a body wins or loses, and says which", arguments: Lane.allCases)
    func start(lane: Lane) throws {
      let dispatcher = try UVDispatcher()
      let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
      var tally = [Cancellation: Int]()
      try dispatcher.start()
      for _ in 0..<500 {
        let ran = Box(false)
        let released = Latch()
        let raised = Latch()
        let handle = Box<TaskHandle<Void>?>(nil)
        let answer = Box<Cancellation?>(nil)
        let cancelled = Latch()
        dispatcher.background.submit {
          raised.hold(patience)
          answer.value = handle.value?.cancel()
          cancelled.open()
        }
        handle.value = queue.submit { [run = body(releasing: released) { ran.value = true }] in
          run()
        }
        raised.open()

        let outcome = try #require(try handle.value?.wait(timeout: patience))
        #expect(cancelled.wait(patience))

        let said = try #require(answer.value)
        tally[said, default: 0] += 1
        #expect((said == .beforeStart) == (outcome == .cancelled))
        #expect(ran.value == (outcome == .completed))
        #expect(released.wait(patience))
      }
      dispatcher.end()
      #expect(dispatcher.ledger.cancelled == tally[.beforeStart, default: 0])
      #expect(tally.values.reduce(0, +) == 500)
    }

    @Test("the submission of an item is too late or cancels it, and a later one cancels it")
    func submissionOfItem() throws {
      // Nothing runs: the loop does not, the view is suspended, and the worker is held.
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let view = dispatcher.makeQueue(label: "disk", width: 1)
      view.suspend()
      let holdsWorker = Latch()
      let letsGo = Latch()
      dispatcher.background {
        holdsWorker.open()
        #expect(letsGo.wait(patienceWithTasks))
      }
      #expect(holdsWorker.wait(patience))
      let count = 20_000
      let items = (0..<count).map { number in
        let queue = [dispatcher.foreground, view, dispatcher.background][number % 3]
        let site = CallSite(fileID: #fileID, line: #line)
        return WorkItem.make(kind: .task, queue: queue, label: nil, site: site) {}
      }
      let turn = Atomic(-1)
      let submissions = Atomic(0)
      let cancellations = Atomic(0)
      let canceller = OtherThread {
        for number in 0..<count {
          while turn.load(ordering: .acquiring) < number {}
          for _ in 0..<number % 23 { _ = submissions.load(ordering: .relaxed) }
          _ = dispatcher.cancel(items[number])
          cancellations.store(number + 1, ordering: .releasing)
        }
      }

      for number in 0..<count {
        turn.store(number, ordering: .releasing)
        for _ in 0..<number % 13 { _ = submissions.load(ordering: .relaxed) }
        #expect(dispatcher.submit(items[number]) == .accepted)
        submissions.store(number + 1, ordering: .releasing)
        while cancellations.load(ordering: .acquiring) <= number {}
        if items[number].outcome == nil {
          #expect(dispatcher.cancel(items[number]) == .beforeStart)
        }
      }

      #expect(canceller.join())
      #expect(items.allSatisfy { $0.outcome == .cancelled })
      letsGo.open()
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
      let ledger = dispatcher.run().ledger
      #expect(ledger.cancelled == count && ledger.waiting == 0)
    }

    @Test("the submission by a Task leaves it to one of the two", arguments: Lane.allCases)
    func submission(lane: Lane) async throws {
      let dispatcher = try UVDispatcher()
      let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
      try dispatcher.start()
      for round in 0..<1_000 {
        let ran = Box(false)
        let hasBegun = Latch()
        let task = Task {
          hasBegun.open()
          try await queue.run { ran.value = true }
        }
        // The cancellation comes in time, too early, or too late.
        if round % 3 > 0 { await onOtherThread { _ = hasBegun.wait(patienceWithTasks) } }
        task.cancel()

        switch await task.result {
        case .success: #expect(ran.value)
        case .failure(let error):
          #expect(error is CancellationError)
          #expect(!ran.value)
        }
      }
      let report = await dispatcher.shutdown(.init(drain: .seconds(10), cancel: .zero))
      #expect(report.ledger.balances)
    }

    @Test("the submission is done by the thread that comes second")
    func second() throws {
      let queue = try UVDispatcher().background
      func item() -> WorkItem {
        WorkItem.make(kind: .task, queue: queue, label: nil, site: .here()) {}
      }

      let unwanted = item()
      #expect(!unwanted.noteUnwanted())
      #expect(unwanted.noteSubmitted())

      let submitted = item()
      #expect(!submitted.noteSubmitted())
      #expect(submitted.noteUnwanted())
      #expect(submitted.begin())
      #expect(submitted.finish(.completed))
    }

    @Test("the time of a timer wins or loses, and says which")
    func due() throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let ran = Box(Set<Int>())
      let said = Box([Int: Cancellation]())
      for round in 0..<10 {
        // The timers come due one after the other while this thread cancels them.
        let timers = (0..<100).map { number in
          let queue = number.isMultiple(of: 2) ? dispatcher.foreground : dispatcher.background
          return queue.after(.microseconds(1_000 + 20 * number)) {
            ran.change { _ = $0.insert(round * 100 + number) }
          }
        }
        let began = Latch()
        dispatcher.foreground.after(.microseconds(1_000)) { began.open() }
        #expect(began.wait(patience))
        for (number, timer) in timers.enumerated() {
          let answer = timer.cancel()
          said.change { $0[round * 100 + number] = answer }
        }
      }
      dispatcher.end()

      #expect(said.value.count == 1_000)
      for (number, answer) in said.value {
        #expect(ran.value.contains(number) == (answer != .beforeStart), "\(number): \(answer)")
      }
      #expect(dispatcher.ledger.balances)
    }

    @Test("another cancellation: one of them says so, and the body runs never")
    func twice() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      for _ in 0..<200 {
        let released = Latch()
        let handle = view.submit { [run = body(releasing: released)] in run() }
        let answers = Box([Cancellation]())
        let cancel: @Sendable () -> Void = {
          let answer = handle.cancel()
          answers.change { $0.append(answer) }
        }

        let ended = race(cancel, cancel)

        #expect(ended)
        #expect(answers.value.count { $0 == .beforeStart } == 1)
        #expect(answers.value.count { $0 == .tooLate } == 1)
        #expect(released.isOpen)
      }
    }

    @Test("the ticks of a repeating timer ends it for good")
    func repeating() throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      for _ in 0..<30 {
        let ran = Box(0)
        let twice = Latch(2)
        let released = Latch()
        let timer = dispatcher.background.every(
          .microseconds(100), catchUp: .all,
          body(releasing: released) {
            ran.increment()
            twice.open()
          })
        #expect(twice.wait(patience))

        timer.cancel()

        #expect(released.wait(patience))
        #expect(timer.outcomeIfFinished == .cancelled)
      }
      #expect(dispatcher.engine.withCore { $0.timers.withRun.isEmpty })
      dispatcher.end()
      #expect(dispatcher.ledger.balances)
      #expect(dispatcher.ledger.waiting == 0)
    }
  }
}
