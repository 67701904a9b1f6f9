import TaskDispatch
import TaskDispatchTesting
import Testing

/// The fake has one stack. A body that runs while another waits runs on top of it, and holds it up until it
/// ends. On threads the waiting body would go on as soon as it can. So the fake must not refuse a call, or
/// report a deadlock, only because of that stack.
@Suite("A blocked body goes on, although others run on top of it")
struct BlockedBodyTests {
  /// Explores every order, and expects that no call is refused in any and that no order is left out.
  private func outcomes<Outcome: Sendable & Hashable>(
    _ configuration: RecordingDispatcher.Configuration = .init(width: 2), isExhausted: Bool = true,
    _ scenario: (RecordingDispatcher, Log) throws -> Outcome
  ) throws -> Set<Outcome> {
    let result = try explore(.exhaustive, configuration: configuration) { dispatcher in
      let log = Log()
      let outcome = try scenario(dispatcher, log)
      try dispatcher.runUntilIdle()
      return log.all.contains { $0.hasPrefix("refused") } ? nil : outcome
    }
    if isExhausted { #expect(result.isExhausted, "\(result)") }
    #expect(!result.outcomes.contains(nil), "\(result)")
    return Set(result.outcomes.compactMap { $0 })
  }

  private func sync(_ queue: TaskQueue, _ log: Log, _ body: () -> Void = {}) {
    do { try queue.sync(body) } catch { log.note("refused: \(error)") }
  }

  @Test("in sync on the foreground, one beside the other", arguments: 1...3)
  func foreground(count: Int) throws {
    let sums = try outcomes { dispatcher, log in
      let sum = Confined(0, to: dispatcher.foreground)
      for _ in 0..<count {
        dispatcher.background { sync(dispatcher.foreground, log) { sum.withValue { $0 += 1 } } }
      }
      try dispatcher.runUntilIdle()
      return try dispatcher.foreground.sync { sum.withValue { $0 } }
    }

    #expect(sums == [count])
  }

  @Test("in sync on the foreground, beside the scenario itself")
  func besideTheScenario() throws {
    let orders = try outcomes { dispatcher, log in
      dispatcher.background { sync(dispatcher.foreground, log) { log.note("task") } }
      try dispatcher.foreground.sync { log.note("scenario") }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(orders == [["task", "scenario"], ["scenario", "task"]])
  }

  @Test("in sync on a view of width 1, one beside the other", arguments: 2...3)
  func view(count: Int) throws {
    let orders = try outcomes(.init(width: count)) { dispatcher, log in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      for index in 0..<count {
        dispatcher.background.async(label: "\(index)") { sync(store, log) { log.note("\(index)") } }
      }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(orders.allSatisfy { $0.count == count })
    #expect(orders.count == (1...count).reduce(1, *))
  }

  @Test("in sync on a view: on top of another, a body sees its own context, and not that one's")
  func contexts() throws {
    let places = try outcomes { dispatcher, log in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let own = dispatcher.makeQueue(label: "own", width: 1)
      let other = dispatcher.makeQueue(label: "other", width: 1)
      let places = Log()
      own { sync(store, log) { places.note("\(own.isCurrent) \(other.isCurrent)") } }
      other { sync(store, log) { places.note("\(other.isCurrent) \(own.isCurrent)") } }
      try dispatcher.runUntilIdle()
      return places.all
    }

    #expect(places == [["true false", "true false"]])
  }

  // Not every order can be tried here. Once the `sync` body has gone on as far as it can on top of others, the
  // rest of it cannot.
  @Test("in a sync body that is blocked in sync itself: others that wait for it are in no deadlock")
  func nested() throws {
    let ends = try outcomes(isExhausted: false) { dispatcher, log in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let other = dispatcher.makeQueue(label: "other", width: 1)
      other {
        sync(store, log) { sync(dispatcher.makeQueue(label: "inner", width: 1), log) }
      }
      dispatcher.background { sync(store, log) }
      try dispatcher.runUntilIdle()
      return log.all.count
    }

    #expect(ends == [0])
  }

  @Test("what waits for the end of a body that is blocked in sync waits for no deadlock")
  func endOfABody() throws {
    let result = try explore(.exhaustive, configuration: .init(width: 2)) { dispatcher in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let first = dispatcher.background.submit { try store.sync {} }
      let second = dispatcher.background.submit { try first.wait() }
      try dispatcher.runUntilIdle()
      return "\(second.outcomeIfFinished!)"
    }

    #expect(Set(result.outcomes) == ["completed"])
  }

  @Test("a queue whose task waits for another, which has not run, is in no deadlock")
  func queueOfAWaiter() throws {
    let result = try explore(.exhaustive, configuration: .init(width: 3)) { dispatcher in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let awaited = dispatcher.background.submit {}
      let waiter = store.submit { try awaited.wait() }
      let caller = dispatcher.background.submit { try store.sync {} }
      try dispatcher.runUntilIdle()
      return "\(waiter.outcomeIfFinished!) \(caller.outcomeIfFinished!)"
    }

    #expect(Set(result.outcomes) == ["completed completed"])
  }

  @Test("two locks that are taken in two orders are a deadlock, in some order")
  func inversion() throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      try explore(.exhaustive, configuration: .init(width: 2)) { dispatcher in
        let a = dispatcher.makeQueue(label: "a", width: 1)
        let b = dispatcher.makeQueue(label: "b", width: 1)
        dispatcher.background { try? a.sync { try? b.sync {} } }
        dispatcher.background { try? b.sync { try? a.sync {} } }
        try dispatcher.runUntilIdle()
        return 0
      }
    }

    #expect(failure.reason.contains("deadlock"), "\(failure)")
  }

  @Test("a body in sync that waits for one that waits for its queue is a deadlock, in some order")
  func circle() throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      try explore(.exhaustive, configuration: .init(width: 2)) { dispatcher in
        let store = dispatcher.makeQueue(label: "store", width: 1)
        let second = dispatcher.background.submit { try? store.sync {} }
        dispatcher.background { try? store.sync { _ = try? second.wait() } }
        try dispatcher.runUntilIdle()
        return 0
      }
    }

    #expect(failure.reason.contains("deadlock"), "\(failure)")
  }

  @Test("what another does before its sync begins may come between a body's look and its sync")
  func lostUpdate() throws {
    let sums = try outcomes { dispatcher, log in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let sum = Slot<Int>()
      sum.value = 0
      for _ in 0..<2 {
        dispatcher.background {
          let seen = sum.value!
          sync(store, log) { sum.value = seen + 1 }
        }
      }
      try dispatcher.runUntilIdle()
      return sum.value!
    }

    #expect(sums == [1, 2])
  }

  @Test("what another does in sync may come between a body's look and its place in the queue")
  func overwritten() throws {
    let texts = try outcomes { dispatcher, log in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let text = Slot<String>()
      text.value = ""
      for index in 0..<2 {
        dispatcher.background.async(label: "\(index)") {
          let seen = text.value!
          sync(store, log) { text.value = seen + "\(index)" }
        }
      }
      try dispatcher.runUntilIdle()
      return text.value!
    }

    #expect(texts == ["01", "10", "0", "1"])
  }

  @Test(
    "a queue whose task waits for what it has submitted is in no deadlock", arguments: Lane.allCases
  )
  func queueOfASubmitter(lane: Lane) throws {
    let result = try explore(.exhaustive, configuration: .init(width: 3)) { dispatcher in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
      let waiter = store.submit { try queue.submit {}.wait() }
      let caller = dispatcher.background.submit { try store.sync {} }
      try dispatcher.runUntilIdle()
      return "\(waiter.outcomeIfFinished!) \(caller.outcomeIfFinished!)"
    }

    #expect(Set(result.outcomes) == ["completed completed"])
  }

  @Test("alone, there is one order")
  func alone() throws {
    let result = try explore(.exhaustive) { dispatcher in
      dispatcher.background { try? dispatcher.foreground.sync {} }
      try dispatcher.runUntilIdle()
      return 0
    }

    #expect(result.schedulesRun == 1, "\(result)")
  }

  @Test("a body of the foreground that waits keeps the foreground")
  func keepsTheForeground() throws {
    let orders = try outcomes(.init(width: 3), isExhausted: false) { dispatcher, log in
      let awaited = dispatcher.background.submit {}
      dispatcher.foreground {
        log.note("begins")
        _ = try? awaited.wait()
        log.note("ends")
      }
      dispatcher.background { sync(dispatcher.foreground, log) { log.note("sync") } }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(orders == [["begins", "ends", "sync"]])
  }

  @Test("a body that waits for room that another below would make is refused nothing")
  func room() throws {
    let limited = RecordingDispatcher.Configuration(
      width: 2, overflow: .blockCaller(limit: 1, timeout: nil))
    let result = try explore(.exhaustive, configuration: limited) { dispatcher in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let other = dispatcher.makeQueue(label: "other", width: 1)
      let log = Log()
      store {
        _ = store {}
        try? other.sync {}
      }
      dispatcher.background { if !store({}).isAccepted { log.note("refused") } }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(Set(result.outcomes) == [[]])
    #expect(!result.isExhausted, "\(result)")
  }

  @Test("with a time-out, a body that waits for another below may be too late, in no deadlock")
  func timeOut() throws {
    let result = try explore(.exhaustive, configuration: .init(width: 2)) { dispatcher in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let first = dispatcher.background.submit { try store.sync {} }
      let log = Log()
      dispatcher.background {
        do { _ = try first.wait(timeout: .seconds(1)) } catch { log.note("\(error)") }
      }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(Set(result.outcomes) == [[], ["\(WaitRefusal.timedOut)"]])
    #expect(result.isExhausted, "\(result)")
  }
}
