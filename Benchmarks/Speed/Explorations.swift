internal import TaskDispatch
internal import TaskDispatchTesting

private let schedules = 100_000

/// What an order of three short tasks costs, on a fake of its own, with all that explores it.
func measureExplorations() throws {
  try measure("schedules of three plain bodies", items: schedules) { try explorePlain(schedules) }
  try measure("schedules of three items", items: schedules / 2) { try exploreItems(schedules / 2) }
  try measure("schedules of three Tasks", items: schedules / 4) { try exploreTasks(schedules / 4) }
  measure("finding and shrinking a failing order of 300 steps", items: 1, body: shrinkLong)
  for count in [1_000, 8_000, 64_000] {
    try measure("tasks of a chain of \(count), each submitting the next", items: count) {
      try exploreChain(of: count)
    }
  }
}

private struct TooEarly: Error {}

/// A long order in which one of many facts matters, from the first run to the error's text.
private func shrinkLong() {
  do {
    _ = try explore(.random(seed: 4, schedules: 50), configuration: .init(width: 2)) { dispatcher in
      let order = Locked<[Int]>([])
      for number in 0..<300 {
        dispatcher.background.async(label: "\(number)") {
          if number == 140 || number == 141 { order.withLock { $0.append(number) } }
        }
      }
      try dispatcher.runUntilIdle()
      if order.withLock({ $0 }) == [141, 140] { throw TooEarly() }
      return 0
    }
    preconditionFailure("it fails in some order")
  } catch let failure as ScheduleFailure {
    precondition(failure.facts.count == 1 && !failure.description.isEmpty)
  } catch { preconditionFailure("\(error)") }
}

/// Nothing else than so many of those.
func explorePlain(_ schedules: Int) throws {
  let result = try explore(
    .random(seed: 1, schedules: schedules), budget: .init(schedules: schedules)
  ) { dispatcher in
    for _ in 0..<3 { dispatcher.background {} }
    try dispatcher.runUntilIdle()
    return 0
  }
  precondition(result.schedulesRun == schedules && result.ordersSeen == 6)
}

private func exploreItems(_ schedules: Int) throws {
  let result = try explore(
    .random(seed: 1, schedules: schedules), budget: .init(schedules: schedules)
  ) { dispatcher in
    for _ in 0..<3 { dispatcher.background.async(label: "task") {} }
    try dispatcher.runUntilIdle()
    return 0
  }
  precondition(result.schedulesRun == schedules && result.ordersSeen == 6)
}

/// Nothing else than so many of Tasks.
func exploreTasks(_ schedules: Int) throws {
  let result = try explore(
    .random(seed: 1, schedules: schedules), budget: .init(schedules: schedules)
  ) { dispatcher in
    let executor = dispatcher.background.executor
    for _ in 0..<3 { Task(executorPreference: executor) {} }
    try dispatcher.runUntilIdle()
    return 0
  }
  precondition(result.schedulesRun == schedules)
}

/// One order, of tasks each of which submits the next: run three times, twice with a name for each.
private func exploreChain(of count: Int) throws {
  let result = try explore(configuration: .init(stepLimit: count + 1)) { dispatcher in
    let left = Locked(count)
    @Sendable func poll() {
      dispatcher.foreground.async(label: "poll") {
        if left.withLock({ left in
          left -= 1
          return left > 0
        }) {
          poll()
        }
      }
    }
    poll()
    try dispatcher.runUntilIdle()
    return dispatcher.ledger.completed
  }
  precondition(result.outcomes == [count])
}
