import Judging
import Scheduling
import TaskDispatch
import UVDispatch

/// Calls that block, groups, and Swift Tasks that await.
extension Calls {
  // MARK: Threads that wait

  func sync(_ number: Int, _ kind: History.Kind) {
    let entry = history.ask(kind, on: number)
    let body = body(entry)
    let wait = history.beginWait(of: entry)
    do {
      try (kind == .barrierSync ? queues[number].barrier : queues[number]).sync(body)
      history.accept(entry)
      history.end(wait)
    } catch {
      end(wait, error)
      history.refuse(entry)
    }
  }

  private func end(_ wait: History.Wait, _ error: any Error) {
    guard let refusal = error as? WaitRefusal else {
      return scene.check(false, "a wait has thrown \(error)")
    }
    history.end(wait, refusal)
  }

  /// A time-out; only where time passes.
  private var timeout: Duration? {
    guard setup.takesTime else { return nil }
    let choice = choose(4)
    return choice == 0 ? nil : .milliseconds(choice - 1)
  }

  func wait(for handle: Handle) {
    let timeout = timeout
    let wait = history.beginWait(for: .entry(handle.entry), timeout: timeout?.nanoseconds)
    do {
      let outcome = try handle.wait(timeout)
      history.end(wait)
      history.note(outcome, of: handle.entry)
    } catch { end(wait, error) }
  }

  func waitForOther(_ number: Int) {
    guard let handle = anyHandle, dispatcher(of: handle.entry.queue) >= dispatcher(of: number)
    else { return readLedger() }
    wait(for: handle)
  }

  /// Only with a time-out: what cancels the timers are threads of the program.
  func waitForTimer() {
    guard !timers.isEmpty else { return readLedger() }
    let (handle, timer) = timers[choose(timers.count)]
    let timeout = Duration.milliseconds(choose(4))
    let wait = history.beginWait(for: .timer(timer), timeout: timeout.nanoseconds)
    do {
      let outcome = try handle.wait(timeout: timeout)
      history.end(wait)
      history.note(outcome, of: timer)
    } catch { end(wait, error) }
  }

  func waitForReport() {
    let start = scene.simulation.now
    let timeout = Duration.milliseconds(1 + choose(3))
    do {
      let report = try dispatchers[0].waitForReport(timeout: timeout)
      scene.check(report.ledger.balances, "the report does not balance: \(report)")
    } catch {
      scene.check(error == .timedOut, "the wait for the report has thrown \(error)")
      scene.check(
        scene.simulation.now - start >= timeout.nanoseconds, "the wait for the report ends early")
    }
  }

  // MARK: Groups

  private func makeGroup() -> Group { (WorkGroup(), history.makeGroup()) }

  func wait(for group: Group) {
    let timeout = timeout
    let wait = history.beginWait(for: .group(group.noted), timeout: timeout?.nanoseconds)
    do {
      try group.group.wait(timeout: timeout)
      history.end(wait)
    } catch { end(wait, error) }
  }

  func waitForGroup(_ number: Int) {
    let group = makeGroup()
    let members = (1...2).map { _ in submit(number, group: group) }
    let wait = history.beginWait(for: .group(group.noted))
    do {
      try group.group.wait()
      history.end(wait)
      for handle in members { history.note(handle.outcome(), of: handle.entry) }
    } catch { end(wait, error) }
  }

  /// Nothing blocks between the two: a wait for the group could not be refused.
  func enterAndLeave(_ number: Int) {
    let (group, noted) = groups[choose(2)]
    group.enter()
    history.enter(noted)
    scene.simulation.yield()
    if choose(2) == 1 { submit(number, group: (group, noted)) }
    history.leave(noted)
    group.leave()
  }

  /// A body that comes once the members of a group have ended.
  func notify(_ number: Int) {
    // A shutdown may cancel it.
    if setup.ends { return readLedger() }
    let group = makeGroup()
    let members = (0...choose(2)).map { _ in submit(number, group: group) }
    notify(of: group, choose(queues.count)) { [self] in
      for handle in members { history.note(handle.outcome(), of: handle.entry) }
    }
  }

  func notify(
    of group: Group, _ target: Int, _ first: @escaping @Sendable () -> Void = {}
  ) {
    let entry = history.ask(.notification, on: target, group: group.noted)
    let body = body(entry)
    let admission = group.group.notify(on: queues[target]) {
      first()
      body()
    }
    if case .accepted = admission {
      notifications.append(entry)
    } else {
      history.note(admission, of: entry)
    }
  }

  /// A callback that comes once a group is empty.
  func observe() {
    let (group, noted) = groups[choose(2)]
    let mark = history.mark()
    callbacks += 1
    group.whenEmpty { [self] in
      history.noteCallback(of: noted, since: mark)
      callbacks -= 1
      failIfWrong()
    }
  }

  // MARK: Tasks

  /// A Task on a queue, which suspends and goes on.
  func task(_ number: Int) {
    // A shutdown lets it go on elsewhere, on a thread that is not the simulation's.
    if setup.ends { return readLedger() }
    awaiting += 1
    let first = history.ask(.job, on: number)
    Task(executorPreference: queues[number].executor, priority: .medium) { [self] in
      part(first)
      for _ in 0...choose(2) {
        await suspendTask()
        part(history.ask(.resumption, on: number))
      }
      awaiting -= 1
    }
    history.accept(first)
  }

  /// A part of a Task, between two suspensions.
  private func part(_ entry: History.Entry) {
    history.begin(entry)
    checkThread(of: entry, submittedBy: "")
    scene.simulation.yield()
    if choose(4) == 3 { makeCall(of: .simple) }
    history.end(entry)
    failIfWrong()
  }

  private func suspendTask() async {
    let number = choose(queues.count)
    switch choose(6) {
    case 0: await Task.yield()
    case 1: if let handle = anyHandle { await end(of: handle) }
    case 2: await flushQueue(number)
    case 3: await runBody(number)
    case 4: await sleep(number)
    default: await end(of: groups[choose(2)])
    }
  }

  private func end(of handle: Handle) async {
    history.note(await handle.awaited(), of: handle.entry)
  }

  private func end(of group: Group) async {
    let mark = history.mark()
    await group.group.wait()
    history.noteCallback(of: group.noted, since: mark)
  }

  /// A call that waits for room instead of being refused.
  private func runBody(_ number: Int) async {
    let entry = history.ask(.task, on: number)
    let body = body(entry)
    do {
      try await queues[number].run { body() }
      history.note(.completed, of: entry)
    } catch { scene.check(false, "\(entry) has thrown \(error)") }
  }

  private func sleep(_ number: Int) async {
    guard setup.takesTime else { return await Task.yield() }
    let dispatcher = dispatchers[dispatcher(of: number)]
    let (start, time) = (scene.simulation.now, Duration.milliseconds(1 + choose(2)))
    do {
      try await dispatcher.clock.sleep(for: time)
      scene.check(
        scene.simulation.now - start >= time.nanoseconds, "rule 8: a Task wakes early")
    } catch { scene.check(false, "a sleep has thrown \(error)") }
  }

  private func flushQueue(_ number: Int) async {
    let before = history.unfinished(on: number)
    await queues[number].flush()
    history.noteFlush(of: before)
  }

  func flush(_ number: Int) {
    if setup.ends { return readLedger() }
    awaiting += 1
    Task(executorPreference: dispatchers[0].background.executor) { [self] in
      await flushQueue(number)
      awaiting -= 1
    }
  }

  /// A Task on the pool awaits the outcome.
  func awaitOutcome(of handle: TaskHandle<Void>) {
    // A shutdown lets it go on elsewhere, on a thread that is not the simulation's.
    if setup.ends { return }
    awaiting += 1
    Task(executorPreference: dispatchers[0].background.executor) { [self] in
      _ = await handle.outcome
      awaiting -= 1
    }
  }
}
