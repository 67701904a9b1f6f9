import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

@Suite("The time at which a task was submitted")
struct TimeOfSubmissionTests {
  @Test("is exact where somebody observes the dispatcher")
  func observed() {
    let core = core(observer: Deaf())

    let task = submit(.plain {}, to: core)

    #expect(task.enqueuedAt == core.now)
  }

  @Test("is exact for a task that may expire")
  func mayExpire() {
    let core = core()

    let task = submit(item(timeToLive: .seconds(1)), to: core)

    #expect(task.enqueuedAt == core.now)
  }

  @Test("is exact where the clock has been read already, and not read for it where it has not")
  func known() {
    let core = core()

    _ = submit(item(timeToLive: nil), to: core)
    #expect(!core.clock.isKnown)

    let now = core.now
    #expect(submit(item(timeToLive: nil), to: core).enqueuedAt == now)
  }

  @Test("is else a little early, and never before the dispatcher was made")
  func early() throws {
    let core = core(origin: monotonicNanoseconds())

    for _ in 0..<1_000 {
      let time = try #require(submit(.plain {}, to: core).enqueuedAt)

      #expect(time >= 0)
      #expect(time <= core.now)
      core.clock.forget()
    }
  }

  private func core(observer: (any TaskObserver)? = nil, origin: Int64 = 0) -> Core {
    Core(UVDispatcher.Configuration(observer: observer), width: 1, origin: origin)
  }

  private func submit(_ work: QueuedTask.Work, to core: Core) -> QueuedTask {
    core.makeTask(work, on: .background, nil, site: .here(), parent: nil)
  }

  private func item(timeToLive: Duration?) -> QueuedTask.Work {
    .item(
      WorkItem(
        kind: .task, queue: TaskQueue(dispatcher: RecordingDispatcher(), lane: .background),
        label: nil, site: .here(), timeToLive: timeToLive
      ) {})
  }
}

private struct Deaf: TaskObserver {
  func observe(_ event: TaskEvent) {}
}
