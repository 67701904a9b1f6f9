import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("Child tasks of a Task on the fake")
struct ChildTaskTests {
  private struct Torn: Error, Equatable {}
  private let dispatcher = RecordingDispatcher()

  @Test("of async let run in steps of the same queue, in the order of their creation")
  func asyncLet() throws {
    let log = Log()
    let dispatcher = dispatcher
    @Sendable func work(_ number: Int) -> Int {
      log.note("\(number) \(dispatcher.isForeground)")
      return number
    }

    let sum = try dispatcher.runAsync {
      async let one = work(1)
      async let two = work(2)
      log.note("parent")
      return await one + two
    }

    #expect(sum == 3)
    #expect(log.all == ["parent", "1 true", "2 true"])
    #expect(Set(dispatcher.history.map(\.task.queue)) == ["foreground"])
    try dispatcher.finish()
  }

  @Test("of a group run in steps, and their results come in the order in which they ended")
  func group() throws {
    let dispatcher = dispatcher

    let results = try dispatcher.runAsync(movingTime: true) {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for seconds in [3, 1, 2] {
          group.addTask {
            try await dispatcher.clock.sleep(for: .seconds(seconds))
            return seconds
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }

    #expect(results == [1, 2, 3])
    #expect(dispatcher.now.sinceStart == .seconds(3))
    try dispatcher.finish()
  }

  @Test("of a group may prefer another queue, and use its width")
  func preference() throws {
    let dispatcher = dispatcher
    let disk = dispatcher.makeQueue(label: "disk", width: 2)

    let count = try dispatcher.runAsync {
      await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<5 {
          group.addTask(executorPreference: disk.executor) { disk.isCurrent }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
    }

    #expect(count == 5)
    #expect(dispatcher.history.contains { $0.task.queue == "disk" })
    try dispatcher.finish()
  }

  @Test("are cancelled when one of them throws, and their sleeps end at once")
  func oneThrows() throws {
    let dispatcher = dispatcher
    let log = Log()

    #expect(throws: Torn.self) {
      try dispatcher.runAsync(movingTime: true) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            do { try await dispatcher.clock.sleep(for: .seconds(60)) } catch {
              log.note("\(type(of: error)) at \(dispatcher.now)")
              throw error
            }
          }
          group.addTask {
            try await dispatcher.clock.sleep(for: .seconds(1))
            throw Torn()
          }
          for try await _ in group {}
        }
      }
    }

    #expect(log.all == ["CancellationError at 1 s"])
    #expect(dispatcher.now.sinceStart == .seconds(1))
    #expect(dispatcher.pendingTasks.isEmpty)
    try dispatcher.finish()
  }

  @Test("of async let that their parent does not await are cancelled at the end of their scope")
  func notAwaited() throws {
    let dispatcher = dispatcher
    let log = Log()

    try dispatcher.runAsync {
      async let _: Void = {
        do { try await dispatcher.clock.sleep(for: .seconds(60)) } catch {
          log.note("\(type(of: error))")
        }
      }()
    }

    #expect(log.all == ["CancellationError"])
    #expect(dispatcher.now == .start)
    try dispatcher.finish()
  }

  @Test("know the parent body that created them")
  func ancestry() throws {
    let dispatcher = dispatcher
    try dispatcher.runAsync {
      async let child: Void = dispatcher.background.run(label: "inner") {}
      try await child
    }

    let inner = try #require(dispatcher.history.first { $0.task.label == "inner" })
    // The job of the child, and before it the job of the operation.
    #expect(dispatcher.ancestors(of: inner.task.id).count == 2)
    try dispatcher.finish()
  }
}
