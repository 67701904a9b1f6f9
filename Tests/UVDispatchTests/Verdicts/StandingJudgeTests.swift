import Testing

@Suite("The judge of standings")
struct StandingJudgeTests {
  private static let (foreground, background, view, other) = (0, 1, 2, 3)

  /// What the judge says of a wait: whether a refusal is owed, and whether one would be right.
  private func verdict(_ builder: StandingBuilder, on context: Int) -> (isOwed: Bool, isRight: Bool)
  {
    let judge = StandingJudge(builder.standing, isStrict: false)
    let isOwed = if case .refusal = judge.due { true } else { false }
    return (isOwed, judge.objection(toRefusalOf: context, while: []) == nil)
  }

  private func expectRefusal(
    _ builder: StandingBuilder, of context: Int, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(verdict(builder, on: context) == (true, true), sourceLocation: location)
  }

  private func expectNoRefusal(
    _ builder: StandingBuilder, of context: Int, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(verdict(builder, on: context) == (false, false), sourceLocation: location)
  }

  // MARK: Circles of sync

  @Test("wants a circle of two syncs refused, also while another body runs")
  func circleOfTwoSyncs() {
    var builder = StandingBuilder(workers: 3, views: [1, 1])
    let first = builder.run(0, on: Self.view)
    let second = builder.run(1, on: Self.other)
    builder.run(2, on: Self.background)
    builder.sync(first, on: Self.other)
    builder.sync(second, on: Self.view)
    expectRefusal(builder, of: first)
  }

  @Test("wants no sync refused that waits for a body which runs")
  func syncBehindARunningBody() {
    var builder = StandingBuilder(workers: 2, views: [1])
    let first = builder.run(0, on: Self.background)
    builder.run(1, on: Self.view)
    builder.sync(first, on: Self.view)
    expectNoRefusal(builder, of: first)
  }

  @Test("wants a sync on the queue of the calling body refused, whatever its width")
  func syncOnOwnQueue() {
    var builder = StandingBuilder(workers: 2, views: [3])
    let body = builder.run(0, on: Self.view)
    builder.sync(body, on: Self.view)
    expectRefusal(builder, of: body)
  }

  @Test("wants a sync behind a barrier refused that waits for the caller's own circle")
  func barrierInTheCircle() {
    var builder = StandingBuilder(workers: 2, views: [3, 1])
    let reader = builder.run(0, on: Self.view)
    let writer = builder.run(1, on: Self.other)
    builder.sync(writer, on: Self.view, isBarrier: true)
    builder.sync(reader, on: Self.other)
    expectRefusal(builder, of: reader)
  }

  @Test("lets readers of width 3 in beside a reader that waits for them")
  func readersOfWidthThree() {
    var builder = StandingBuilder(workers: 3, views: [3, 1])
    let reader = builder.run(0, on: Self.view)
    let caller = builder.run(1, on: Self.other)
    builder.sync(reader, on: Self.other)
    builder.sync(caller, on: Self.view)
    expectNoRefusal(builder, of: reader)
    #expect(StandingJudge(builder.standing).due == .event("the first of v0 starts"))
  }

  // MARK: Help

  @Test("wants the only worker to help where its sync would otherwise be refused")
  func helpOfTheOnlyWorker() {
    var builder = StandingBuilder(workers: 1, views: [1])
    let body = builder.run(0, on: Self.background)
    builder.queue(1, on: Self.view)
    builder.sync(body, on: Self.view)
    let judge = StandingJudge(builder.standing)
    let isHelp = if case .help = judge.due { true } else { false }
    #expect(isHelp)
    #expect(judge.objection(toRefusalOf: body, while: [])?.0 == .falseRefusal)
    let context = builder.standing.context(body)!
    #expect(judge.objection(toHelpOn: context, with: Self.view) == nil)
  }

  @Test("wants no second worker to help while one does, and comes back to its wait after that")
  func noSecondHelp() {
    var builder = StandingBuilder(workers: 2, views: [3])
    let bodies = (0..<2).map { builder.run($0, on: Self.background) }
    builder.queue(3, on: Self.view)
    for body in bodies { builder.sync(body, on: Self.view) }
    let isHelp = if case .help = StandingJudge(builder.standing).due { true } else { false }
    #expect(isHelp)
    builder.run(2, on: Self.view, onStackOf: bodies[0])
    #expect(StandingJudge(builder.standing).due == nil)
  }

  @Test("wants no help while a worker is free")
  func noHelpWhileAWorkerIsFree() {
    var builder = StandingBuilder(workers: 2, views: [1])
    let body = builder.run(0, on: Self.background)
    builder.queue(1, on: Self.view)
    builder.sync(body, on: Self.view)
    let judge = StandingJudge(builder.standing)
    let context = builder.standing.context(body)!
    #expect(judge.objection(toHelpOn: context, with: Self.view)?.0 == .needlessHelp)
    #expect(judge.due == .event("the first of v0 starts"))
  }

  @Test("knows that help may have begun before the body of a sync that is recorded before it")
  func helpBeforeABodyOfASync() {
    var builder = StandingBuilder(workers: 2, views: [3])
    let first = builder.run(0, on: Self.background)
    let second = builder.run(1, on: Self.background)
    builder.queue(2, on: Self.view)
    builder.sync(first, on: Self.view)
    builder.sync(second, on: Self.view)
    builder.beginSync(second)
    let context = builder.standing.context(first)!
    #expect(
      builder.record.objection(inWaitOf: context) {
        $0.objection(toHelpOn: context, with: Self.view)
      }
        == nil)
  }

  @Test(
    "knows that a timer may have come due since a worker was let help", arguments: [false, true])
  func helpBeforeATimer(isSince: Bool) {
    var builder = StandingBuilder(workers: 2, views: [1, 1])
    let helper = builder.run(0, on: Self.background)
    let other = builder.run(1, on: Self.background)
    builder.startTimer(4, on: Self.foreground)
    if !isSince { builder.runTimer(4) }
    builder.queue(2, on: Self.view)
    builder.sync(helper, on: Self.view)
    builder.queue(3, on: Self.other)
    builder.wait(other, for: .task(3))
    if isSince { builder.runTimer(4) }
    let context = builder.standing.context(helper)!
    let objection = builder.record.objection(inWaitOf: context) {
      $0.objection(toHelpOn: context, with: Self.view)
    }
    #expect(objection?.0 == (isSince ? nil : .needlessHelp))
  }

  @Test(
    "knows that an outside thread may have called sync since a worker was let help",
    arguments: [false, true])
  func helpBeforeACall(isSince: Bool) {
    var builder = StandingBuilder(workers: 2, views: [1, 1])
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
    let context = builder.standing.context(helper)!
    let objection = builder.record.objection(inWaitOf: context) { judge in
      judge.objection(toHelpOn: context, with: Self.view)
    }
    #expect(objection?.0 == (isSince ? nil : .needlessHelp))
  }

  @Test("knows that nothing may have run before the body of a sync that is recorded before help")
  func helpAtAStandstillBeforeABodyOfASync() {
    var builder = StandingBuilder(workers: 2, views: [3])
    let first = builder.run(0, on: Self.view)
    let helper = builder.run(1, on: Self.background)
    builder.queue(2, on: Self.view)
    let outsider = builder.addOutsider()
    builder.sync(outsider, on: Self.view)
    builder.sync(helper, on: Self.view)
    builder.queue(3, on: Self.background, isBarrier: true)
    builder.wait(first, for: .task(3))
    builder.beginSync(outsider)
    let context = builder.standing.context(helper)!
    #expect(
      builder.record.objection(inWaitOf: context) {
        $0.objection(toHelpOn: context, with: Self.view)
      }
        == nil)
  }

  @Test("lets a body find a worker beside a callback that waits, if the pool has a thread for both")
  func workerBesideACallback() {
    for threads in [1, 2] {
      var builder = StandingBuilder(workers: 1, threads: threads)
      let callback = builder.callBack(on: .worker(1))
      builder.queue(0, on: Self.background)
      builder.wait(callback, for: .task(0))
      let due = StandingJudge(builder.standing).due
      if threads == 1 {
        expectRefusal(builder, of: callback)
      } else {
        #expect(due == .event("the first of background starts"))
      }
    }
  }

  @Test("wants no help of the loop, but a refusal where it needs the worker that waits for it")
  func theLoopDoesNotHelp() {
    var builder = StandingBuilder(workers: 1, views: [1])
    let loop = builder.run(0, on: Self.foreground)
    let worker = builder.run(1, on: Self.background)
    builder.queue(2, on: Self.view)
    builder.sync(loop, on: Self.view)
    builder.sync(worker, on: Self.foreground)
    expectRefusal(builder, of: loop)
    let context = builder.standing.context(loop)!
    let judge = StandingJudge(builder.standing)
    #expect(judge.objection(toHelpOn: context, with: Self.view)?.0 == .wrongHelper)
  }

  // MARK: Handles and groups

  @Test("wants two bodies refused that wait for each other's handles")
  func twoHandles() {
    var builder = StandingBuilder(workers: 2)
    let first = builder.run(0, on: Self.background)
    let second = builder.run(1, on: Self.background)
    builder.wait(first, for: .task(1))
    builder.wait(second, for: .task(0))
    expectRefusal(builder, of: first)
  }

  @Test("wants a body refused that waits for itself")
  func selfWait() {
    var builder = StandingBuilder(workers: 1)
    let body = builder.run(0, on: Self.background)
    builder.wait(body, for: .task(0))
    expectRefusal(builder, of: body)
  }

  @Test("knows that a timer may have come due since a refusal", arguments: [false, true])
  func refusalBeforeATimer(isSince: Bool) {
    var builder = StandingBuilder(workers: 1, views: [1])
    builder.startTimer(3, on: Self.foreground)
    if !isSince { builder.runTimer(3) }
    let body = builder.run(0, on: Self.view)
    builder.queue(2, on: Self.view)
    builder.wait(body, for: .task(2))
    if isSince { builder.runTimer(3) }
    let context = builder.standing.context(body)!
    let timer = builder.standing.contexts.first { $0.place == .loop }!
    let objection = builder.record.objection(inWaitOf: context) {
      $0.objection(toRefusalOf: body, while: [timer.number])
    }
    #expect(objection?.0 == (isSince ? nil : .earlyRefusal))
  }

  @Test("finds it early to refuse a wait for a queued task while another body runs")
  func earlyRefusal() {
    var builder = StandingBuilder(workers: 2, views: [1])
    let body = builder.run(0, on: Self.view)
    let running = builder.run(1, on: Self.background)
    builder.queue(2, on: Self.view)
    builder.wait(body, for: .task(2))
    let judge = StandingJudge(builder.standing)
    #expect(judge.due == nil)
    #expect(judge.objection(toRefusalOf: body, while: [running])?.0 == .earlyRefusal)
  }

  @Test(
    "wants no wait refused whose chain leads to a suspended view, or to a group entered by hand")
  func suspendedViewsAndHands() {
    var builder = StandingBuilder(workers: 2, views: [1], groups: 1)
    builder.suspend(Self.view)
    builder.enter(0)
    builder.queue(1, on: Self.view)
    let first = builder.run(0, on: Self.background)
    let second = builder.run(2, on: Self.foreground)
    let third = builder.run(3, on: Self.background)
    builder.wait(first, for: .task(1))
    builder.wait(second, for: .task(0))
    builder.waitForGroup(third, 0)
    for context in [first, second, third] { expectNoRefusal(builder, of: context) }
  }

  @Test("wants a foreground body refused that waits for a group with a foreground timer")
  func foregroundTimer() {
    var builder = StandingBuilder(workers: 1, groups: 1)
    let body = builder.run(0, on: Self.foreground)
    builder.startTimer(1, on: Self.foreground)
    builder.addMember(1, of: 0)
    builder.waitForGroup(body, 0)
    expectRefusal(builder, of: body)
  }

  @Test("lets a foreground body be refused that waits for a background timer: the loop brings it")
  func backgroundTimer() {
    var builder = StandingBuilder(workers: 1, groups: 1)
    let body = builder.run(0, on: Self.foreground)
    builder.startTimer(1, on: Self.background)
    builder.addMember(1, of: 0)
    builder.waitForGroup(body, 0)
    #expect(verdict(builder, on: body).isRight)
  }

  @Test("wants the only worker refused that waits for a group with a background body")
  func groupAndOneWorker() {
    var builder = StandingBuilder(workers: 1, groups: 1)
    let body = builder.run(0, on: Self.background)
    builder.queue(1, on: Self.background)
    builder.addMember(1, of: 0)
    builder.waitForGroup(body, 0)
    expectRefusal(builder, of: body)
  }

  @Test("sees a foreground body's wait end while workers are free")
  func freeWorkers() {
    var builder = StandingBuilder(workers: 1)
    let body = builder.run(0, on: Self.foreground)
    builder.queue(1, on: Self.background)
    builder.wait(body, for: .task(1))
    expectNoRefusal(builder, of: body)
    #expect(StandingJudge(builder.standing).due == .event("the first of background starts"))
  }

  @Test("wants a callback on the loop refused that waits for a foreground task")
  func callbackOnTheLoop() {
    var builder = StandingBuilder(workers: 1)
    let callback = builder.callBack(on: .loop)
    builder.queue(1, on: Self.foreground)
    builder.wait(callback, for: .task(1))
    expectRefusal(builder, of: callback)
  }

  @Test("never wants outside threads or waits with a time-out refused")
  func outsidersAndTimeouts() {
    var builder = StandingBuilder(workers: 1)
    let outsider = builder.addOutsider()
    let body = builder.run(0, on: Self.background)
    builder.queue(1, on: Self.background)
    builder.wait(outsider, for: .task(1))
    builder.wait(body, for: .task(1), isTimed: true)
    expectNoRefusal(builder, of: outsider)
    expectNoRefusal(builder, of: body)
  }

  @Test(
    "wants no sync refused that stands behind the sync of a callback, which may end by a refusal")
  func syncBehindThatOfACallback() {
    var builder = StandingBuilder(workers: 3, views: [2])
    builder.run(0, on: Self.view)
    let body = builder.run(1, on: Self.background)
    let callback = builder.callBack(on: .loop)
    builder.queue(2, on: Self.view, isBarrier: true)
    builder.sync(callback, on: Self.view)
    builder.sync(body, on: Self.view)
    expectNoRefusal(builder, of: body)
  }

  @Test("expects no timer of a queue in which another, a barrier, may come first and has to wait")
  func timerBehindABarrier() {
    var builder = StandingBuilder(workers: 3)
    builder.startTimer(1, on: Self.background)
    #expect(StandingJudge(builder.standing).awaitsTime)
    builder.startTimer(2, on: Self.background, isBarrier: true)
    builder.run(0, on: Self.background)
    #expect(!StandingJudge(builder.standing).awaitsTime)
  }

  @Test(
    "takes help at once, and none, where a wait for the handle of a running body closes the circle")
  func helpInACircleThroughAHandle() {
    var builder = StandingBuilder(workers: 2, views: [1, 3])
    builder.run(0, on: Self.foreground)
    let waiter = builder.run(1, on: Self.view)
    let caller = builder.run(2, on: Self.other)
    builder.queue(3, on: Self.background)
    builder.sync(caller, on: Self.background)
    builder.wait(waiter, for: .task(2))
    let judge = StandingJudge(builder.standing, isStrict: false)
    #expect(judge.due == nil)
    let context = builder.standing.context(caller)!
    #expect(judge.objection(toHelpOn: context, with: Self.background) == nil)
  }

  @Test("takes either answer where a worker waits in the sync of a callback for its own help")
  func helpInACallback() {
    var builder = StandingBuilder(workers: 1, views: [1])
    let callback = builder.callBack(on: .worker(1))
    builder.queue(1, on: Self.view)
    builder.sync(callback, on: Self.view)
    let judge = StandingJudge(builder.standing, isStrict: false)
    #expect(judge.due != nil)
    #expect(judge.objection(toRefusalOf: callback, while: []) == nil)
    let context = builder.standing.context(callback)!
    #expect(judge.objection(toHelpOn: context, with: Self.view) == nil)
  }

  @Test(
    "counts no worker for a callback, nor for the body of a sync in it", arguments: [false, true])
  func workerBesideACallback(inSync: Bool) {
    var builder = StandingBuilder(workers: 1, threads: 2, views: [1])
    let callback = builder.callBack(on: .worker(1))
    if inSync {
      builder.sync(callback, on: Self.view)
      builder.beginSync(callback)
    }
    builder.queue(1, on: Self.background)
    builder.wait(builder.standing.tops[0].number, for: .task(1))
    #expect(StandingJudge(builder.standing).due == .event("the first of background starts"))
  }
}
