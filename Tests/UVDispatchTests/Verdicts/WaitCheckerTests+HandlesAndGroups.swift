import Testing

/// Waits for handles and groups, and what timers and callbacks may still bring them.
extension WaitCheckerTests {
  @Test("wants two bodies refused that wait for each other's handles")
  func twoHandles() {
    var builder = WaitStateBuilder(workers: 2)
    let first = builder.run(0, on: Self.background)
    let second = builder.run(1, on: Self.background)
    builder.wait(first, for: .task(1))
    builder.wait(second, for: .task(0))
    expectRefusal(builder, of: first)
  }

  @Test("wants a body refused that waits for itself")
  func selfWait() {
    var builder = WaitStateBuilder(workers: 1)
    let body = builder.run(0, on: Self.background)
    builder.wait(body, for: .task(0))
    expectRefusal(builder, of: body)
  }

  @Test("knows that a timer may have come due since a refusal", arguments: [false, true])
  func refusalBeforeATimer(isSince: Bool) {
    var builder = WaitStateBuilder(workers: 1, views: [1])
    builder.startTimer(3, on: Self.foreground)
    if !isSince { builder.runTimer(3) }
    let body = builder.run(0, on: Self.view)
    builder.queue(2, on: Self.view)
    builder.wait(body, for: .task(2))
    if isSince { builder.runTimer(3) }
    let context = builder.state.context(body)!
    let timer = builder.state.contexts.first { $0.place == .loop }!
    let objection = builder.record.objection(inWaitOf: context) {
      $0.objection(toRefusalOf: body, while: [timer.number])
    }
    #expect(objection?.0 == (isSince ? nil : .earlyRefusal))
  }

  @Test("finds it early to refuse a wait for a queued task while another body runs")
  func earlyRefusal() {
    var builder = WaitStateBuilder(workers: 2, views: [1])
    let body = builder.run(0, on: Self.view)
    let running = builder.run(1, on: Self.background)
    builder.queue(2, on: Self.view)
    builder.wait(body, for: .task(2))
    let checker = WaitChecker(builder.state)
    #expect(checker.due == nil)
    #expect(checker.objection(toRefusalOf: body, while: [running])?.0 == .earlyRefusal)
  }

  @Test(
    "wants no wait refused whose chain leads to a suspended view, or to a group entered by hand")
  func suspendedViewsAndHands() {
    var builder = WaitStateBuilder(workers: 2, views: [1], groups: 1)
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
    var builder = WaitStateBuilder(workers: 1, groups: 1)
    let body = builder.run(0, on: Self.foreground)
    builder.startTimer(1, on: Self.foreground)
    builder.addMember(1, of: 0)
    builder.waitForGroup(body, 0)
    expectRefusal(builder, of: body)
  }

  @Test("lets a foreground body be refused that waits for a background timer: the loop brings it")
  func backgroundTimer() {
    var builder = WaitStateBuilder(workers: 1, groups: 1)
    let body = builder.run(0, on: Self.foreground)
    builder.startTimer(1, on: Self.background)
    builder.addMember(1, of: 0)
    builder.waitForGroup(body, 0)
    #expect(verdict(builder, on: body).isRight)
  }

  @Test("wants the only worker refused that waits for a group with a background body")
  func groupAndOneWorker() {
    var builder = WaitStateBuilder(workers: 1, groups: 1)
    let body = builder.run(0, on: Self.background)
    builder.queue(1, on: Self.background)
    builder.addMember(1, of: 0)
    builder.waitForGroup(body, 0)
    expectRefusal(builder, of: body)
  }

  @Test("sees a foreground body's wait end while workers are free")
  func freeWorkers() {
    var builder = WaitStateBuilder(workers: 1)
    let body = builder.run(0, on: Self.foreground)
    builder.queue(1, on: Self.background)
    builder.wait(body, for: .task(1))
    expectNoRefusal(builder, of: body)
    #expect(WaitChecker(builder.state).due == .event("the first of background starts"))
  }

  @Test("wants a callback on the loop refused that waits for a foreground task")
  func callbackOnTheLoop() {
    var builder = WaitStateBuilder(workers: 1)
    let callback = builder.callBack(on: .loop)
    builder.queue(1, on: Self.foreground)
    builder.wait(callback, for: .task(1))
    expectRefusal(builder, of: callback)
  }

  @Test("never wants outside threads or waits with a time-out refused")
  func outsidersAndTimeouts() {
    var builder = WaitStateBuilder(workers: 1)
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
    var builder = WaitStateBuilder(workers: 3, views: [2])
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
    var builder = WaitStateBuilder(workers: 3)
    builder.startTimer(1, on: Self.background)
    #expect(WaitChecker(builder.state).awaitsTime)
    builder.startTimer(2, on: Self.background, isBarrier: true)
    builder.run(0, on: Self.background)
    #expect(!WaitChecker(builder.state).awaitsTime)
  }
}
