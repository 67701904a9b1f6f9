import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("A shutdown can begin")
  struct ShutdownFromEverywhereTests {
    enum Place: CaseIterable {
      case beforeRun, foreground, worker, view, timer, repeatingTimer, backgroundTimer, sync,
        reply, notification, task, taskOnForeground, foreignThread, observer, deinitOfBody
    }

    @Test("on whatever thread and in whatever form, and run() returns", arguments: Place.allCases)
    func place(place: Place) throws {
      let observer = Caller()
      let dispatcher = try UVDispatcher(.init(observer: observer))
      let begin: @Sendable () -> Void = { dispatcher.beginShutdown(.init(drain: .seconds(3600))) }
      let drained = Box(0)
      for _ in 0..<10 {
        dispatcher.foreground { drained.increment() }
        dispatcher.background { drained.increment() }
      }
      switch place {
      case .beforeRun: begin()
      case .foreground: dispatcher.foreground(begin)
      case .worker: dispatcher.background(begin)
      case .view: dispatcher.makeQueue(label: "view", width: 1)(begin)
      case .timer: dispatcher.foreground.after(.milliseconds(1), begin)
      case .repeatingTimer: dispatcher.foreground.every(.milliseconds(1), begin)
      case .backgroundTimer: dispatcher.background.every(.milliseconds(1), begin)
      case .sync: try dispatcher.background.sync(begin)
      case .reply:
        dispatcher.background.async {
          1
        } then: { _ in
          begin()
        }
      case .notification:
        let group = WorkGroup()
        dispatcher.background.async(group: group) {}
        group.notify(on: dispatcher.background, begin)
      case .task: Task { begin() }
      case .taskOnForeground: Task(executorPreference: dispatcher.foreground.executor) { begin() }
      case .foreignThread: _ = OtherThread(begin)
      case .observer:
        observer.onCompletion.value = begin
        dispatcher.foreground {}
      case .deinitOfBody:
        let last = AtDeinit(begin)
        dispatcher.foreground { withExtendedLifetime(last) {} }
      }

      let report = dispatcher.run()

      #expect(report.ledger.balances)
      #expect(report.ledger.waiting == 0)
      #expect(report.ledger.running == 0)
      #expect(drained.value == 20)
      #expect(report.unfinished.isEmpty)
      observer.onCompletion.value = nil
    }

    @Test("twice at once, from two threads and two Tasks, and all of them get one report")
    func twiceAtOnce() async throws {
      for round in 0..<50 {
        let dispatcher = try UVDispatcher()
        for _ in 0..<20 { dispatcher.background {} }
        try dispatcher.start()
        async let first = dispatcher.shutdown(.init(drain: .seconds(3600)))
        async let second = dispatcher.shutdown(.init(drain: .seconds(1800)))
        let raced = await onOtherThread {
          race(
            { dispatcher.beginShutdown(.init(drain: .seconds(60))) },
            { dispatcher.beginShutdown() })
        }

        let reports = await [first, second]

        #expect(raced)
        #expect(reports[0].ledger == reports[1].ledger)
        #expect(reports[0].ledger.balances)
        #expect(reports[0].ledger.accepted == 20, "round \(round)")
        #expect(dispatcher.report?.ledger == reports[0].ledger)
      }
    }

    @Test("again after the end, from anywhere, and nothing changes")
    func afterTheEnd() async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let first = await dispatcher.shutdown()

      dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
      let second = await dispatcher.shutdown(.init(drain: .zero, cancel: .zero))

      #expect(first.ledger == second.ledger)
      #expect(dispatcher.background {} == .refused(.shutDown))
      #expect(dispatcher.ledger.refused == 1)
      #expect(dispatcher.report?.ledger == first.ledger)
    }
  }
}

/// Calls a function when it observes the first completion.
private final class Caller: TaskObserver {
  let onCompletion = Box<(@Sendable () -> Void)?>(nil)

  func observe(_ event: TaskEvent) {
    guard case .finished(.completed) = event.kind else { return }
    onCompletion.change { $0.take() }?()
  }
}

private final class AtDeinit: Sendable {
  private let call: @Sendable () -> Void
  init(_ call: @escaping @Sendable () -> Void) { self.call = call }
  deinit { call() }
}
