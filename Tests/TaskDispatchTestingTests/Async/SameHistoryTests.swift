import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("An asynchronous scenario on the fake")
struct SameHistoryTests {
  @Test("gives 2000 identical histories in 2000 runs")
  func manyRuns() throws {
    let first = try scenario()
    // The scenario has what makes schedules differ on threads: actors, children, sleeps and a cancellation.
    #expect(Set(first.events.map(\.task.queue)) == ["foreground", "background", "disk", "cache"])
    #expect(first.events.contains { $0.kind == .due })
    #expect(first.events.contains { $0.kind == .finished(.cancelled) })

    var differing = 0
    for _ in 1..<2000 where try scenario() != first { differing += 1 }

    #expect(differing == 0)
  }

  @Test("gives the same history from an asynchronous test, which may have changed its thread")
  func asynchronous() async throws {
    let first = try scenario()

    for _ in 0..<20 {
      await Task.detached {}.value
      #expect(try scenario() == first)
    }
  }

  private struct Story: Equatable {
    let events: [TaskEvent]
    let notes: [String]
  }

  /// Three workers fetch pages, with naps and a cache between them, until one is fast enough.
  private func scenario() throws -> Story {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    let disk = dispatcher.makeQueue(label: "disk", width: 2)
    let cache = Resident(on: dispatcher.makeQueue(label: "cache", width: 1))
    let model = Resident(on: dispatcher.foreground)

    let notes = try dispatcher.runAsync(movingTime: true) {
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<3 {
          group.addTask(executorPreference: dispatcher.background.executor) {
            do {
              try await dispatcher.clock.sleep(for: .milliseconds(10 * ((worker + 1) % 3)))
              let page = try await disk.run { "page \(worker)" }
              await cache.note(page)
              try await dispatcher.clock.sleep(for: .milliseconds(15))
              await model.note("shows \(page)")
            } catch {
              await model.note("\(worker) was cancelled")
            }
          }
        }
        await group.next()
        group.cancelAll()
      }
      async let cached = cache.notes
      async let shown = model.notes
      return await cached + shown
    }
    let story = Story(events: dispatcher.history, notes: notes)
    try dispatcher.finish()
    return story
  }
}
