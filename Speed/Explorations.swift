internal import TaskDispatch
internal import TaskDispatchTesting

private let schedules = 100_000

/// What an order of three short tasks costs, on a fake of its own, with all that explores it.
func measureExplorations() throws {
  try measure("schedules of three plain bodies", items: schedules) { try explorePlain(schedules) }
  try measure("schedules of three items", items: schedules / 2) { try exploreItems(schedules / 2) }
  try measure("schedules of three Tasks", items: schedules / 4) { try exploreTasks(schedules / 4) }
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
    for _ in 0..<3 { dispatcher.background(label: "task") {} }
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
