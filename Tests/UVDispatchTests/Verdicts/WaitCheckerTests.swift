import Testing

@Suite("The checker of waits")
struct WaitCheckerTests {
  static let (foreground, background, view, other) = (0, 1, 2, 3)

  /// What the checker says of a wait: whether a refusal is owed, and whether one would be right.
  func verdict(_ builder: WaitStateBuilder, on context: Int) -> (isOwed: Bool, isRight: Bool) {
    let checker = WaitChecker(builder.state, isStrict: false)
    let isOwed = if case .refusal = checker.due { true } else { false }
    return (isOwed, checker.objection(toRefusalOf: context, while: []) == nil)
  }

  func expectRefusal(
    _ builder: WaitStateBuilder, of context: Int, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(verdict(builder, on: context) == (true, true), sourceLocation: location)
  }

  func expectNoRefusal(
    _ builder: WaitStateBuilder, of context: Int, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(verdict(builder, on: context) == (false, false), sourceLocation: location)
  }

  // MARK: Circles of sync

  @Test("wants a circle of two syncs refused, also while another body runs")
  func circleOfTwoSyncs() {
    var builder = WaitStateBuilder(workers: 3, views: [1, 1])
    let first = builder.run(0, on: Self.view)
    let second = builder.run(1, on: Self.other)
    builder.run(2, on: Self.background)
    builder.sync(first, on: Self.other)
    builder.sync(second, on: Self.view)
    expectRefusal(builder, of: first)
  }

  @Test("wants no sync refused that waits for a body which runs")
  func syncBehindARunningBody() {
    var builder = WaitStateBuilder(workers: 2, views: [1])
    let first = builder.run(0, on: Self.background)
    builder.run(1, on: Self.view)
    builder.sync(first, on: Self.view)
    expectNoRefusal(builder, of: first)
  }

  @Test("wants a sync on the queue of the calling body refused, whatever its width")
  func syncOnOwnQueue() {
    var builder = WaitStateBuilder(workers: 2, views: [3])
    let body = builder.run(0, on: Self.view)
    builder.sync(body, on: Self.view)
    expectRefusal(builder, of: body)
  }

  @Test("wants a sync behind a barrier refused that waits for the caller's own circle")
  func barrierInTheCircle() {
    var builder = WaitStateBuilder(workers: 2, views: [3, 1])
    let reader = builder.run(0, on: Self.view)
    let writer = builder.run(1, on: Self.other)
    builder.sync(writer, on: Self.view, isBarrier: true)
    builder.sync(reader, on: Self.other)
    expectRefusal(builder, of: reader)
  }

  @Test("lets readers of width 3 in beside a reader that waits for them")
  func readersOfWidthThree() {
    var builder = WaitStateBuilder(workers: 3, views: [3, 1])
    let reader = builder.run(0, on: Self.view)
    let caller = builder.run(1, on: Self.other)
    builder.sync(reader, on: Self.other)
    builder.sync(caller, on: Self.view)
    expectNoRefusal(builder, of: reader)
    #expect(WaitChecker(builder.state).due == .event("the first of v0 starts"))
  }
}
