import TaskDispatch
import Testing
import UVDispatch

@Suite("An item that a dispatcher outside of the package has taken")
struct TakenItemCallsTests {
  private static func item(
    on queue: TaskQueue, _ body: @escaping @Sendable () -> Void = {}
  ) -> WorkItem {
    WorkItem.make(
      kind: .task, queue: queue, label: "mine", site: CallSite(fileID: #fileID, line: #line),
      body: body)
  }

  @Test("runs once, if it is submitted to a UVDispatcher as well", arguments: [false, true])
  func runsOnce(isSteppedFirst: Bool) async throws {
    let (stepped, real) = (SteppedDispatcher(), try UVDispatcher())
    try real.start()
    let runs = Guarded(0)
    let item = Self.item(on: stepped.foreground) { runs.withLock { $0 += 1 } }
    let dispatchers: [any DispatcherImplementation] =
      isSteppedFirst ? [stepped, real] : [real, stepped]

    for dispatcher in dispatchers { #expect(dispatcher.submit(item) == .accepted) }
    stepped.runUntilIdle()
    _ = await real.shutdown()

    #expect(runs.withLock { $0 } == 1)
    #expect(item.outcome == .completed)
    #expect(stepped.ledger.submitted == (isSteppedFirst ? 1 : 0))
    #expect(real.ledger.submitted == (isSteppedFirst ? 0 : 1))
  }

  @Test("stays refused by the next dispatcher")
  func refusedAgain() {
    let (first, second) = (SteppedDispatcher(), SteppedDispatcher())
    first.beginShutdown()
    let item = Self.item(on: first.background)

    #expect(first.submit(item) == .refused(.shutDown))
    #expect(item.admissionAgain == .refused(.shutDown))
    #expect(second.submit(item) == .refused(.shutDown))
    #expect(second.ledger.submitted == 0)
  }

  @Test("is begun and ended by the dispatcher that has taken it, and by no other code")
  func begins() throws {
    let stepped = SteppedDispatcher()
    let item = Self.item(on: stepped.background)
    let taken = try #require(item.take())

    #expect(item.take() == nil)
    #expect(!item.begin())
    #expect(taken.begin(at: .start))
    #expect(!taken.begin(at: .start))
    var endings = Endings()
    let isRefused = endings.end(taken, .cancelled)
    #expect(!isRefused, "it runs")
    let isEnded = endings.end(taken, item.run())
    #expect(isEnded)
    endings.tell(for: stepped, outsideTasks: true)
    #expect(item.outcome == .completed)
    #expect(item.admissionAgain == .accepted)
  }

  @Test("is not finished by other code")
  func finished() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let stepped = SteppedDispatcher()
      let item = Self.item(on: stepped.foreground)
      _ = stepped.submit(item)
      item.finish(.cancelled)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("\"mine\" was finished by code other than the dispatcher"))
  }

  @Test("is cancelled when its dispatcher loses its last reference, and its body is released")
  func dispatcherGoes() {
    let outcomes = Guarded<[Outcome?]>([])
    var stepped = Optional(SteppedDispatcher())
    let items = [Self.item(on: stepped!.background), Self.item(on: stepped!.makeQueue("view"))]
    for item in items {
      item.whenFinished { _ in outcomes.withLock { $0 += items.map(\.outcome) } }
      _ = stepped?.submit(item)
    }
    weak let gone = stepped

    stepped = nil

    #expect(gone == nil)
    #expect(outcomes.withLock { $0 } == Array(repeating: .cancelled, count: 4))
  }

  @Test("is abandoned when it still runs at the deadline of a shutdown")
  func abandoned() throws {
    let stepped = SteppedDispatcher()
    let handle = stepped.background.submit {
      stepped.beginShutdown(ShutdownPolicy(drain: .seconds(1), cancel: .seconds(1)))
      stepped.spend(.seconds(3))
    }

    stepped.runUntilIdle()

    #expect(handle.outcomeIfFinished == .abandoned)
    let report = try #require(stepped.report)
    #expect(report.ledger.balances)
    #expect(report.unfinished.map(\.state) == [.abandoned])
  }
}

extension SteppedDispatcher {
  fileprivate func makeQueue(_ label: String) -> TaskQueue { makeQueue(label: label, width: 1) }
}
