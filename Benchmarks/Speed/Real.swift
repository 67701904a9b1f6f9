internal import UVDispatch

/// Posts 256 bodies and lets them run, again and again, so that none is awaited one by one.
func profileReal(batches: Int, onBackground: Bool) throws {
  let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
  let queue = onBackground ? dispatcher.background : dispatcher.foreground
  for _ in 0..<batches {
    for number in 0..<256 {
      queue { [number, batches] in precondition(number < 256 && batches > 0) }
    }
    dispatcher.runUntilIdle()
  }
}

/// Sets timers that are far away, 100 at a time, and cancels them.
func profileTimers(rounds: Int) throws {
  let queue = try UVDispatcher(.init(backgroundWidth: 1)).foreground
  for _ in 0..<rounds {
    let handles = (0..<100).map { number in queue.after(.seconds(1000 + number)) {} }
    for handle in handles { _ = handle.cancel() }
  }
}

/// Submits with handles, 100 at a time, and cancels them before they run.
func profileCancelling(rounds: Int, onBackground: Bool) throws {
  let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
  let queue = onBackground ? dispatcher.makeQueue(label: "view", width: 1) : dispatcher.foreground
  for _ in 0..<rounds {
    let handles = (0..<100).map { _ in queue.submit {} }
    for handle in handles { _ = handle.cancel() }
  }
}

/// Runs empty bodies with `sync` in a view of its own width.
func profileSync(count: Int) throws {
  let queue = try UVDispatcher(.init(backgroundWidth: 1)).makeQueue(label: "view", width: 1)
  for _ in 0..<count { try queue.sync {} }
}

/// A Task on the loop that yields again and again.
func profileYield(count: Int) throws {
  let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
  Task(executorPreference: dispatcher.foreground.executor) {
    for _ in 0..<count { await Task.yield() }
    dispatcher.beginShutdown()
  }
  _ = dispatcher.run()
}

/// Posts 256 bodies to a view of width 3 and lets them run, again and again.
func profileView(batches: Int) throws {
  let dispatcher = try UVDispatcher(.init(backgroundWidth: 3))
  let queue = dispatcher.makeQueue(label: "view", width: 3)
  for _ in 0..<batches {
    for number in 0..<256 {
      queue { [number, batches] in precondition(number < 256 && batches > 0) }
    }
    dispatcher.runUntilIdle()
  }
}
