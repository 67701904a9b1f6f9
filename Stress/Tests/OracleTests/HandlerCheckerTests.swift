import Oracle
import Testing

@Suite("The checker of a handler's calls")
struct HandlerCheckerTests {
  private let violations = ViolationLog()
  private var broken: [Rule] { violations.all.map(\.rule) }

  private func called(_ times: Int, after end: (HandlerChecker) -> Void) {
    let checker = HandlerChecker("handler", violations: violations)
    checker.begins()
    checker.begins()
    end(checker)
    for _ in 0..<times { checker.begins() }
  }

  @Test("lets none come after it was cancelled on the foreground, or after the report")
  func none() {
    called(0) { $0.cancelled(onForeground: true) }
    called(0) { $0.reported() }
    #expect(broken == [])

    called(1) { $0.cancelled(onForeground: true) }
    called(1) { $0.reported() }

    #expect(broken == [.events])
    #expect(violations.all.first?.count == 2)
  }

  @Test("lets one come that had begun when it was cancelled elsewhere or its descriptor was closed")
  func one() {
    called(1) { $0.cancelled(onForeground: false) }
    called(1) { $0.closed() }
    #expect(broken == [])

    called(2) { $0.cancelled(onForeground: false) }
    called(2) { $0.closed() }

    #expect(violations.all.first?.count == 2)
  }

  @Test("lets a second end allow no more than the first")
  func twoEnds() {
    called(1) {
      $0.cancelled(onForeground: true)
      $0.cancelled(onForeground: false)
    }
    #expect(broken == [.events])

    called(1) {
      $0.cancelled(onForeground: false)
      $0.reported()
    }
    #expect(violations.all.first?.count == 2)
  }

  @Test("sees what a descriptor's was not to be told of")
  func readiness() {
    let checker = ReadinessChecker(interest: 0b101, name: "handler", violations: violations)
    for bits: UInt8 in [0b001, 0b100, 0b101] { checker.told(bits) }
    #expect(broken == [])

    checker.told(0b010)
    #expect(violations.all.first?.count == 1)
    checker.told(0)
    #expect(violations.all.first?.count == 2)
    checker.calls.cancelled(onForeground: true)
    checker.told(0b001)
    #expect(violations.all.first?.count == 3)
  }
}

@Suite("The checker of what goes through a descriptor")
struct FlowTests {
  private let violations = ViolationLog()

  private func flow(_ written: Int = 3) -> Flow {
    var flow = Flow("pipe", violations: violations)
    flow.writes(written)
    return flow
  }

  private var broken: [Rule] { violations.all.map(\.rule) }

  @Test("has nothing to say of one that is read bit by bit, to its end")
  func legal() {
    var flow = flow()
    #expect(!flow.isQuiet)
    flow.reads(.bytes(1), toldReadable: true, toldGone: false)
    flow.closes()
    flow.reads(.bytes(2), toldReadable: true, toldGone: true)
    #expect(!flow.isQuiet)
    flow.reads(.end, toldReadable: false, toldGone: true)

    #expect(flow.isQuiet)
    #expect(broken == [])
  }

  @Test("is content with all that was written having been read, while both sides are open")
  func quiet() {
    var flow = flow()
    flow.reads(.bytes(3), toldReadable: true, toldGone: false)

    #expect(flow.isQuiet)
    // Another handler was told of the same bytes before, and has read them.
    flow.reads(.nothing, toldReadable: false, toldGone: false)
    #expect(broken == [])
  }

  @Test(
    "sees what cannot be",
    arguments: [
      "readable, and nothing to read", "gone, and open", "more than was written",
      "an end without one", "an end before the rest", "writable, and full",
    ])
  func impossible(_ story: String) {
    var flow = flow()
    switch story {
    case "readable, and nothing to read":
      flow.reads(.nothing, toldReadable: true, toldGone: false)
    case "gone, and open": flow.reads(.bytes(1), toldReadable: true, toldGone: true)
    case "more than was written": flow.reads(.bytes(4), toldReadable: true, toldGone: false)
    case "an end without one":
      flow.reads(.bytes(3), toldReadable: true, toldGone: false)
      flow.reads(.end, toldReadable: true, toldGone: false)
    case "an end before the rest":
      flow.closes()
      flow.reads(.end, toldReadable: true, toldGone: false)
    default: flow.isFull()
    }

    #expect(broken == [.events])
    #expect(violations.all.first?.count == 1)
  }
}
