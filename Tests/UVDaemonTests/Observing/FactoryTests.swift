#if Daemon
  import CoreMetrics
  import Glibc
  import MetricsTestKit
  import TaskDispatch
  import Testing

  import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("A metrics factory")
  struct FactoryTests {
    @Test("is called without the observer's lock: it may itself submit to the dispatcher")
    func reentrant() async {
      await #expect(processExitsWith: .success) {
        // A process that hangs must not outlive its test.
        alarm(20)
        let factory = Submitting()
        let observer = MetricsObserver(dispatcher: "d", factory: factory)
        let dispatcher = RecordingDispatcher(.init(observer: observer))
        factory.dispatcher.value = dispatcher
        dispatcher.background {}

        try dispatcher.runUntilIdle()

        let timers = try factory.metrics.expectTimer(
          "task_dispatch_run", [("dispatcher", "d"), ("queue", "background")])
        let ended = try factory.metrics.expectCounter(
          "task_dispatch_tasks_total", [("dispatcher", "d"), ("outcome", "completed")])
        let submitted = dispatcher.ledger.completed
        exit(
          submitted > 1 && timers.values.count == submitted && ended.totalValue == submitted
            ? 0 : 1)
      }
    }
  }

  /// Submits a task for each metric that is made.
  private final class Submitting: MetricsFactory {
    let metrics = TestMetrics()
    let dispatcher = Box<RecordingDispatcher?>(nil)

    private func submit() { dispatcher.value?.background {} }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
      submit()
      return metrics.makeCounter(label: label, dimensions: dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
      submit()
      return metrics.makeTimer(label: label, dimensions: dimensions)
    }

    func makeRecorder(
      label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
      metrics.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
    }

    func destroyCounter(_ handler: any CounterHandler) { metrics.destroyCounter(handler) }
    func destroyTimer(_ handler: any TimerHandler) { metrics.destroyTimer(handler) }
    func destroyRecorder(_ handler: any RecorderHandler) { metrics.destroyRecorder(handler) }
  }
#endif
