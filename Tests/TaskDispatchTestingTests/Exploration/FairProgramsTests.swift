import TaskDispatch
import TaskDispatchTesting
import Testing

/// Programs that look again and again whether something has happened. Rule 11 promises that it will happen.
@Suite("Exploring a program that polls")
struct FairProgramsTests {
  private static let strategies: [ExplorationStrategy] = [
    .bounded(deviations: 2), .random(seed: 3, schedules: 300),
    .prioritized(depth: 3, seed: 3, schedules: 300),
  ]

  enum Program: String, CaseIterable {
    case foregroundForBackground, backgroundForForeground, viewForView, twoForEachOther
    case pairForView, forChain, forGroup, forHandles, byTimer, byYielding
  }

  @Test("finds no task that submits work for ever", arguments: Program.allCases, strategies)
  func noAlarm(program: Program, strategy: ExplorationStrategy) throws {
    let budget = ExplorationBudget(schedules: 300)
    if program == .byYielding {
      let result = try explore(strategy, budget: budget) { dispatcher async throws in
        let done = Log()
        for _ in 0..<2 { dispatcher.background { done.note("done") } }
        while done.all.count < 2 { await Task.yield() }
        return done.all.count
      }
      #expect(result.outcomes == [2])
      return
    }
    let result = try explore(strategy, budget: budget) { dispatcher in
      let done = Log()
      Self.start(program, dispatcher, done)
      if program == .byTimer {
        try dispatcher.advanceTime(by: .seconds(1))
      } else {
        try dispatcher.runUntilIdle()
      }
      return done.all.count
    }
    #expect(result.outcomes == [2])
  }

  @Test(
    "of a higher band than what it polls for, or for a timer, needs time in its body",
    arguments: strategies)
  func inTime(strategy: ExplorationStrategy) throws {
    let result = try explore(
      strategy, configuration: .init(width: 1), budget: ExplorationBudget(schedules: 300)
    ) {
      dispatcher in
      let done = Log()
      @Sendable func poll() {
        dispatcher.background.async(priority: .high, label: "poll") {
          try? dispatcher.skipTime(by: .milliseconds(10))
          if done.all.count < 2 { poll() }
        }
      }
      dispatcher.background.async(priority: .lowest, label: "low") { done.note("low") }
      dispatcher.background.after(.milliseconds(200), label: "timer") { done.note("timer") }
      poll()
      try dispatcher.advanceTime(by: .seconds(1))
      return done.all.count
    }
    #expect(result.outcomes == [2])
  }

  private static func start(
    _ program: Program, _ dispatcher: RecordingDispatcher, _ done: Log
  ) {
    let one = dispatcher.makeQueue(label: "one", width: 1)
    let two = dispatcher.makeQueue(label: "two", width: 1)
    switch program {
    case .foregroundForBackground:
      poll(on: dispatcher.foreground, until: { done.all.count == 2 })
      for _ in 0..<2 { dispatcher.background { done.note("done") } }
    case .backgroundForForeground:
      poll(on: dispatcher.background, until: { done.all.count == 2 })
      for _ in 0..<2 { dispatcher.foreground { done.note("done") } }
    case .viewForView:
      poll(on: one, until: { done.all.count == 2 })
      for _ in 0..<2 { two { done.note("done") } }
    case .twoForEachOther:
      let isStarted = Slot<Bool>()
      poll(on: one, until: { isStarted.value == true }, then: { done.note("one") })
      poll(on: two, until: { done.all == ["one"] }, then: { done.note("two") })
      dispatcher.foreground { isStarted.value = true }
    case .pairForView:
      pair(dispatcher.foreground, dispatcher.background, until: { done.all.count == 2 })
      for _ in 0..<2 { one { done.note("done") } }
    case .forChain:
      poll(on: dispatcher.foreground, until: { done.all.count == 2 })
      one { two { dispatcher.background { done.note("done") } } }
      two { one { done.note("done") } }
    case .forGroup:
      let group = WorkGroup()
      for _ in 0..<2 { dispatcher.background.async(group: group) { done.note("done") } }
      poll(on: dispatcher.foreground, until: { group.count == 0 })
    case .forHandles:
      poll(on: dispatcher.foreground, until: { done.all.count == 2 })
      for _ in 0..<2 { _ = one.submit { done.note("done") } }
    case .byTimer:
      pollInTime(on: dispatcher.foreground, until: { done.all.count == 2 })
      for _ in 0..<2 { dispatcher.background { done.note("done") } }
    case .byYielding: break
    }
  }
}

/// Submits itself to `queue` until the condition holds.
private func poll(
  on queue: TaskQueue, until isOver: @escaping @Sendable () -> Bool,
  then: @escaping @Sendable () -> Void = {}
) {
  queue.async(label: "poll") { isOver() ? then() : poll(on: queue, until: isOver, then: then) }
}

/// Two tasks that submit each other until the condition holds.
private func pair(
  _ one: TaskQueue, _ other: TaskQueue, until isOver: @escaping @Sendable () -> Bool
) {
  one.async(label: "poll") { if !isOver() { pair(other, one, until: isOver) } }
}

/// Looks once a millisecond until the condition holds.
private func pollInTime(on queue: TaskQueue, until isOver: @escaping @Sendable () -> Bool) {
  queue.after(.milliseconds(1), label: "poll") {
    if !isOver() { pollInTime(on: queue, until: isOver) }
  }
}
