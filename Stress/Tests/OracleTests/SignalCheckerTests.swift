import Oracle
import Testing

@Suite("The checker of what a handler is told of signals")
struct SignalCheckerTests {
  private let violations = ViolationLog()
  private let raises = Raises()

  /// Registers a handler while no thread raises a signal.
  private func register(isCounted: Bool = true) -> SignalChecker {
    let checker = SignalChecker(
      raises, isCounted: isCounted, name: "handler", violations: violations)
    checker.registered()
    return checker
  }

  private func raise(_ count: Int = 1, arrives: Bool = true) {
    for _ in 0..<count { raises.count { arrives } }
  }

  private var broken: [Rule] { violations.all.map(\.rule) }

  @Test("has nothing to say of one that is told all of them, in one call or in many")
  func legal() {
    raise(5)
    let checker = register()
    raise(3)
    checker.told(1)
    checker.told(2)
    raise()
    checker.told(1)

    checker.checkEnd(raises.least)

    #expect(broken == [])
  }

  @Test("misses a delivery that the handler was not told of")
  func tooFew() {
    raise(2)
    let checker = register()
    raise(3)
    checker.told(2)

    checker.checkEnd(raises.least)

    #expect(broken == [.events])
    #expect(
      violations.all.first?.first == "handler was told of 2 deliveries, and there were 3 at least")
  }

  @Test("sees a delivery that was told twice, that never was, or that came before the handler")
  func tooMany() {
    raise(2)
    let checker = register()
    raise()
    checker.told(1)
    #expect(broken == [])

    checker.told(1)

    #expect(broken == [.events])
    #expect(
      violations.all.first?.first == "handler was told of 2 deliveries, and there were 1 at most")
  }

  @Test("sees a call without a delivery")
  func nothing() {
    let checker = register()

    checker.told(0)

    #expect(broken == [.events])
  }

  @Test("leaves open whether one that is raised beside the registration is told")
  func beside() {
    for told in [0, 1] {
      let violations = ViolationLog()
      var checker: SignalChecker?
      raises.count {
        checker = SignalChecker(raises, name: "handler", violations: violations)
        checker?.registered()
        return true
      }
      if told > 0 { checker?.told(told) }
      checker?.checkEnd(raises.least)
      #expect(violations.all.isEmpty)

      checker?.told(1)
      #expect(violations.hasFindings == (told == 1))
    }
  }

  @Test("leaves open whether what came after the end is told")
  func late() {
    let checker = register()
    raise()
    checker.told(1)
    let least = raises.least
    raise()

    checker.checkEnd(least)

    #expect(broken == [])
  }

  @Test("does not miss what one that is being cancelled is not told of")
  func cancelled() {
    let checker = register()
    raise()
    checker.calls.cancels()

    checker.checkEnd(raises.least)

    #expect(broken == [])
  }

  @Test("leaves open how many a merged signal is, and what came before")
  func merged() {
    raise(2)
    let checker = register(isCounted: false)
    #expect(checker.isHeard)
    raise(3)
    #expect(!checker.isHeard)

    checker.told(1)

    #expect(checker.isHeard)
    checker.checkEnd(raises.least)
    checker.told(4)
    #expect(broken == [])
    checker.told(1)
    #expect(broken == [.events])
  }

  @Test("waits for none that may never come, nor for one that was cancelled")
  func unheard() {
    let checker = register(isCounted: false)
    raise(arrives: false)
    #expect(checker.isHeard)
    raise()
    #expect(!checker.isHeard)

    checker.calls.cancels()

    #expect(checker.isHeard)
  }
}
