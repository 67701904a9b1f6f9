import Testing

@testable import UVDispatch

@Suite("When the loop's thread is woken, as a value")
struct LoopWakeupsTests {
  /// The value in `state`, reached as the dispatcher reaches it.
  private func loop(in state: LoopWakeups.State) -> LoopWakeups {
    var loop = LoopWakeups()
    switch state {
    case .asleep: break
    case .woken: loop.endIteration(again: true)
    case .iterating: _ = loop.beginIteration()
    case .spinning, .told:
      _ = loop.beginIteration()
      loop.beginSpin()
      if state == .told { _ = loop.request { 0 } }
    case .over: loop.end()
    }
    return loop
  }

  @Test(
    "new work wakes a loop that sleeps, sets the hint of one that spins, and tells no other",
    arguments: [
      (LoopWakeups.State.asleep, LoopWakeups.Request.wake, LoopWakeups.State.woken),
      (.woken, .nothing, .woken),
      (.iterating, .nothing, .iterating),
      (.spinning, .hint, .told),
      (.told, .nothing, .told),
      (.over, .nothing, .over),
    ])
  func request(
    in state: LoopWakeups.State, asks request: LoopWakeups.Request, then next: LoopWakeups.State
  ) {
    var loop = loop(in: state)
    #expect(loop.state == state)
    #expect(loop.mustBeTold == (request != .nothing))
    let asked = loop.request { 0 }
    #expect(asked == request)
    #expect(loop.state == next)
    #expect(loop.isPending == (request == .wake))
    #expect(loop.inFlight == (request == .wake ? 1 : 0))
  }

  @Test("a wake-up is taken once, and in flight until its thread has sent it")
  func taken() {
    var loop = LoopWakeups()
    let before = loop.takePending()
    _ = loop.request { 0 }
    let (first, second) = (loop.takePending(), loop.takePending())
    #expect((before, first, second) == (false, true, false))
    #expect(loop.inFlight == 1)
    loop.endWake()
    #expect(loop.inFlight == 0)
  }

  @Test("the clock is read for a wake-up alone")
  func clock() {
    for state: LoopWakeups.State in [.woken, .iterating, .spinning, .told, .over] {
      var loop = loop(in: state)
      _ = loop.request {
        Issue.record("the clock was read for a loop that is \(state)")
        return 0
      }
    }
  }

  @Test("an iteration knows whether it was asked for, and clears the wish for one")
  func iteration() {
    var loop = LoopWakeups()
    loop.want()
    var wasAskedFor = loop.beginIteration()
    #expect(!wasAskedFor)
    #expect(!loop.isWanted)
    loop.endIteration(again: false)
    #expect(loop.state == .asleep)
    _ = loop.request { 0 }
    wasAskedFor = loop.beginIteration()
    #expect(wasAskedFor)
    loop.endIteration(again: true)
    wasAskedFor = loop.beginIteration()
    #expect(wasAskedFor)
  }

  @Test("after a spin the thread is in its iteration again, told or not")
  func spin() {
    for state: LoopWakeups.State in [.spinning, .told] {
      var loop = loop(in: state)
      loop.endSpin()
      #expect(loop.state == .iterating)
    }
  }
}
