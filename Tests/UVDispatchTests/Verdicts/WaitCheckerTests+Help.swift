import Testing

/// Which workers have to run a task of the queue for which they wait, and which may not.
extension WaitCheckerTests {
  @Test("wants the only worker to help where its sync would otherwise be refused")
  func helpOfTheOnlyWorker() {
    var builder = WaitStateBuilder(workers: 1, views: [1])
    let body = builder.run(0, on: Self.background)
    builder.queue(1, on: Self.view)
    builder.sync(body, on: Self.view)
    let checker = WaitChecker(builder.state)
    let isHelp = if case .help = checker.due { true } else { false }
    #expect(isHelp)
    #expect(checker.objection(toRefusalOf: body, while: [])?.0 == .falseRefusal)
    let context = builder.state.context(body)!
    #expect(checker.objection(toHelpOn: context, with: Self.view) == nil)
  }

  @Test("wants no second worker to help while one does, and comes back to its wait after that")
  func noSecondHelp() {
    var builder = WaitStateBuilder(workers: 2, views: [3])
    let bodies = (0..<2).map { builder.run($0, on: Self.background) }
    builder.queue(3, on: Self.view)
    for body in bodies { builder.sync(body, on: Self.view) }
    let isHelp = if case .help = WaitChecker(builder.state).due { true } else { false }
    #expect(isHelp)
    builder.run(2, on: Self.view, onStackOf: bodies[0])
    #expect(WaitChecker(builder.state).due == nil)
  }

  @Test("wants no help while a worker is free")
  func noHelpWhileAWorkerIsFree() {
    var builder = WaitStateBuilder(workers: 2, views: [1])
    let body = builder.run(0, on: Self.background)
    builder.queue(1, on: Self.view)
    builder.sync(body, on: Self.view)
    let checker = WaitChecker(builder.state)
    let context = builder.state.context(body)!
    #expect(checker.objection(toHelpOn: context, with: Self.view)?.0 == .needlessHelp)
    #expect(checker.due == .event("the first of v0 starts"))
  }

  @Test("knows that help may have begun before the body of a sync that is recorded before it")
  func helpBeforeABodyOfASync() {
    var builder = WaitStateBuilder(workers: 2, views: [3])
    let first = builder.run(0, on: Self.background)
    let second = builder.run(1, on: Self.background)
    builder.queue(2, on: Self.view)
    builder.sync(first, on: Self.view)
    builder.sync(second, on: Self.view)
    builder.beginSync(second)
    let context = builder.state.context(first)!
    #expect(
      builder.record.objection(inWaitOf: context) {
        $0.objection(toHelpOn: context, with: Self.view)
      }
        == nil)
  }

  @Test(
    "knows that a timer may have come due since a worker was let help", arguments: [false, true])
  func helpBeforeATimer(isSince: Bool) {
    var builder = WaitStateBuilder(workers: 2, views: [1, 1])
    let helper = builder.run(0, on: Self.background)
    let other = builder.run(1, on: Self.background)
    builder.startTimer(4, on: Self.foreground)
    if !isSince { builder.runTimer(4) }
    builder.queue(2, on: Self.view)
    builder.sync(helper, on: Self.view)
    builder.queue(3, on: Self.other)
    builder.wait(other, for: .task(3))
    if isSince { builder.runTimer(4) }
    let context = builder.state.context(helper)!
    let objection = builder.record.objection(inWaitOf: context) {
      $0.objection(toHelpOn: context, with: Self.view)
    }
    #expect(objection?.0 == (isSince ? nil : .needlessHelp))
  }

  @Test(
    "knows that an outside thread may have called sync since a worker was let help",
    arguments: [false, true])
  func helpBeforeACall(isSince: Bool) {
    var builder = WaitStateBuilder(workers: 2, views: [1, 1])
    let helper = builder.run(0, on: Self.background)
    let other = builder.run(1, on: Self.background)
    let outsider = builder.addOutsider()
    builder.queue(2, on: Self.view)
    builder.queue(3, on: Self.other)
    if !isSince {
      builder.sync(outsider, on: Self.foreground)
      builder.beginSync(outsider)
    }
    builder.sync(helper, on: Self.view)
    builder.wait(other, for: .task(3))
    if isSince {
      builder.sync(outsider, on: Self.foreground)
      builder.beginSync(outsider)
    }
    let context = builder.state.context(helper)!
    let objection = builder.record.objection(inWaitOf: context) { checker in
      checker.objection(toHelpOn: context, with: Self.view)
    }
    #expect(objection?.0 == (isSince ? nil : .needlessHelp))
  }

  @Test("knows that nothing may have run before the body of a sync that is recorded before help")
  func helpAtAStandstillBeforeABodyOfASync() {
    var builder = WaitStateBuilder(workers: 2, views: [3])
    let first = builder.run(0, on: Self.view)
    let helper = builder.run(1, on: Self.background)
    builder.queue(2, on: Self.view)
    let outsider = builder.addOutsider()
    builder.sync(outsider, on: Self.view)
    builder.sync(helper, on: Self.view)
    builder.queue(3, on: Self.background, isBarrier: true)
    builder.wait(first, for: .task(3))
    builder.beginSync(outsider)
    let context = builder.state.context(helper)!
    #expect(
      builder.record.objection(inWaitOf: context) {
        $0.objection(toHelpOn: context, with: Self.view)
      }
        == nil)
  }

  @Test("lets a body find a worker beside a callback that waits, if the pool has a thread for both")
  func workerBesideACallback() {
    for threads in [1, 2] {
      var builder = WaitStateBuilder(workers: 1, threads: threads)
      let callback = builder.callBack(on: .worker(1))
      builder.queue(0, on: Self.background)
      builder.wait(callback, for: .task(0))
      let due = WaitChecker(builder.state).due
      if threads == 1 {
        expectRefusal(builder, of: callback)
      } else {
        #expect(due == .event("the first of background starts"))
      }
    }
  }

  @Test("wants no help of the loop, but a refusal where it needs the worker that waits for it")
  func theLoopDoesNotHelp() {
    var builder = WaitStateBuilder(workers: 1, views: [1])
    let loop = builder.run(0, on: Self.foreground)
    let worker = builder.run(1, on: Self.background)
    builder.queue(2, on: Self.view)
    builder.sync(loop, on: Self.view)
    builder.sync(worker, on: Self.foreground)
    expectRefusal(builder, of: loop)
    let context = builder.state.context(loop)!
    let checker = WaitChecker(builder.state)
    #expect(checker.objection(toHelpOn: context, with: Self.view)?.0 == .wrongHelper)
  }

  @Test(
    "takes help at once, and none, where a wait for the handle of a running body closes the circle")
  func helpInACircleThroughAHandle() {
    var builder = WaitStateBuilder(workers: 2, views: [1, 3])
    builder.run(0, on: Self.foreground)
    let waiter = builder.run(1, on: Self.view)
    let caller = builder.run(2, on: Self.other)
    builder.queue(3, on: Self.background)
    builder.sync(caller, on: Self.background)
    builder.wait(waiter, for: .task(2))
    let checker = WaitChecker(builder.state, isStrict: false)
    #expect(checker.due == nil)
    let context = builder.state.context(caller)!
    #expect(checker.objection(toHelpOn: context, with: Self.background) == nil)
  }

  @Test("takes either answer where a worker waits in the sync of a callback for its own help")
  func helpInACallback() {
    var builder = WaitStateBuilder(workers: 1, views: [1])
    let callback = builder.callBack(on: .worker(1))
    builder.queue(1, on: Self.view)
    builder.sync(callback, on: Self.view)
    let checker = WaitChecker(builder.state, isStrict: false)
    #expect(checker.due != nil)
    #expect(checker.objection(toRefusalOf: callback, while: []) == nil)
    let context = builder.state.context(callback)!
    #expect(checker.objection(toHelpOn: context, with: Self.view) == nil)
  }

  @Test(
    "counts no worker for a callback, nor for the body of a sync in it", arguments: [false, true])
  func workerBesideACallback(inSync: Bool) {
    var builder = WaitStateBuilder(workers: 1, threads: 2, views: [1])
    let callback = builder.callBack(on: .worker(1))
    if inSync {
      builder.sync(callback, on: Self.view)
      builder.beginSync(callback)
    }
    builder.queue(1, on: Self.background)
    builder.wait(builder.state.tops[0].number, for: .task(1))
    #expect(WaitChecker(builder.state).due == .event("the first of background starts"))
  }
}
