import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

@Suite("The time at which a task was submitted")
struct TimeOfSubmissionTests {
  @Test("is exact where the dispatcher has an observer")
  func observed() {
    let core = core(observer: Deaf())

    let task = submit(to: core)

    #expect(task.enqueuedAt == core.now)
  }

  @Test("is exact for a task that may expire")
  func mayExpire() {
    let core = core()

    let item = submit(timeToLive: .seconds(1), to: core)

    #expect(item.place.since == core.instant)
    #expect(core.task(for: item).enqueuedAt == core.now)
    core.forget(item)
  }

  @Test("is exact where the clock has been read already, and not read for it where it has not")
  func known() {
    let core = core()

    _ = submit(timeToLive: nil, to: core)
    #expect(!core.clock.isKnown)

    let now = core.instant
    #expect(submit(timeToLive: nil, to: core).place.since == now)
  }

  @Test("is else a little early, and never before the dispatcher was made")
  func early() throws {
    let core = core(origin: monotonicNanoseconds())

    for _ in 0..<1_000 {
      let time = try #require(submit(to: core).enqueuedAt)

      #expect(time >= 0)
      #expect(time <= core.now)
      core.clock.forget()
    }
  }

  private func core(observer: (any TaskObserver)? = nil, origin: Int64 = 0) -> Core {
    Core(UVDispatcher.Configuration(), observer: observer, width: 1, threads: 1, origin: origin)
  }

  private func submit(to core: Core) -> QueuedTask {
    core.makeTask(.plain {}, on: .background, nil, site: .here(), parent: nil)
  }

  private func submit(timeToLive: Duration?, to core: Core) -> WorkItem {
    let item = WorkItem.make(
      kind: .task, queue: TaskQueue(dispatcher: RecordingDispatcher(), lane: .background),
      label: nil, site: .here(), timeToLive: timeToLive
    ) {}
    core.number(item, parent: nil)
    return item
  }
}

private struct Deaf: TaskObserver {
  func observe(_ event: TaskEvent) {}
}
