import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("Every order is tried, once, and no other:")
struct CountedOrdersTests {
  private func orders(
    width: Int, _ scenario: (RecordingDispatcher, Log) throws -> Void
  ) throws -> Exploration<[String]> {
    try explore(.exhaustive, configuration: .init(width: width)) { dispatcher in
      let log = Log()
      try scenario(dispatcher, log)
      try dispatcher.runUntilIdle()
      return log.all
    }
  }

  /// A worker is free for each of the first `width` waiting tasks, and any of those may be the first to run. So
  /// there are min(width, 4) · min(width, 3) · min(width, 2) · 1 orders.
  @Test(
    "four tasks that know nothing of each other",
    arguments: [(1, 1), (2, 8), (3, 18), (4, 24)])
  func independent(width: Int, count: Int) throws {
    let result = try orders(width: width) { dispatcher, log in
      for name in ["a", "b", "c", "d"] { dispatcher.background { log.note(name) } }
    }

    #expect(result.outcomes.count == count)
    #expect(result.ordersSeen == count)
    #expect(result.schedulesRun == count)
    #expect(result.isExhausted)
  }

  /// The ways to interleave the k steps of two chains: 2k over k.
  @Test("two chains of steps", arguments: [(1, 2), (2, 6), (3, 20), (4, 70)])
  func chains(steps: Int, count: Int) throws {
    let result = try orders(width: 2) { dispatcher, log in
      for name in ["a", "b"] { addChain(name, steps, to: dispatcher.background, log) }
    }

    #expect(result.outcomes.count == count)
    #expect(result.ordersSeen == count)
    #expect(result.schedulesRun == count)
    #expect(result.isExhausted)
  }

  private func addChain(_ name: String, _ steps: Int, to queue: TaskQueue, _ log: Log) {
    guard steps > 0 else { return }
    queue {
      log.note("\(name)\(steps)")
      addChain(name, steps - 1, to: queue, log)
    }
  }

  /// Each query is typed, fetched and applied. The loop runs its tasks in order of arrival, and a worker is
  /// free for each fetch. `ordersOfQueries` counts the orders, and knows nothing of dispatchers.
  @Test("queries that are typed, fetched and applied", arguments: [1, 2, 3])
  func queries(count: Int) throws {
    let result = try orders(width: count) { dispatcher, log in
      for query in 0..<count {
        dispatcher.foreground {
          log.note("type \(query)")
          dispatcher.background {
            log.note("fetch \(query)")
            dispatcher.foreground { log.note("apply \(query)") }
          }
        }
      }
    }

    let expected = ordersOfQueries(loop: (0..<count).map { ("type", $0) }, fetches: [])
    #expect(Set(result.outcomes) == Set(expected))
    #expect(result.ordersSeen == expected.count)
    #expect(result.schedulesRun == expected.count)
    #expect(result.isExhausted)
  }

  private func ordersOfQueries(loop: [(String, Int)], fetches: [Int]) -> [[String]] {
    if loop.isEmpty, fetches.isEmpty { return [[]] }
    var orders: [[String]] = []
    if let (step, query) = loop.first {
      let rest = ordersOfQueries(
        loop: Array(loop.dropFirst()), fetches: step == "type" ? fetches + [query] : fetches)
      orders += rest.map { ["\(step) \(query)"] + $0 }
    }
    for query in fetches {
      let rest = ordersOfQueries(
        loop: loop + [("apply", query)], fetches: fetches.filter { $0 != query })
      orders += rest.map { ["fetch \(query)"] + $0 }
    }
    return orders
  }

  /// F is the foreground task, which submits H, the high one; 1 and 2 are the low ones.
  ///
  /// At width 1 the order depends on which low tasks have run when F submits H, and which have only taken their
  /// slot (in brackets). None: F H 1 2; [1]: F 1 H 2; 1: 1 F H 2; 1 [2]: 1 F 2 H; both: 1 2 F H.
  ///
  /// At width 2 every order is possible in which F comes before H: 4! / 2. Where 2 comes before H and 1, both
  /// low tasks had taken their slots.
  @Test("two low tasks that a high one overtakes", arguments: [(1, 5), (2, 12)])
  func overtaking(width: Int, count: Int) throws {
    let result = try orders(width: width) { dispatcher, log in
      for name in ["1", "2"] { dispatcher.background.async(priority: .low) { log.note(name) } }
      dispatcher.foreground {
        log.note("F")
        dispatcher.background.async(priority: .high) { log.note("H") }
      }
    }

    #expect(result.outcomes.count == count, "\(result.outcomes.map { $0.joined() }.sorted())")
    #expect(result.isExhausted)
  }
}
