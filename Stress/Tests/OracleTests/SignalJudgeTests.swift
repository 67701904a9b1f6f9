import Oracle
import Testing

@Suite("Whoever watches what a handler is told of signals")
struct SignalJudgeTests {
  private let court = Court()
  private let raises = Raises()

  /// Registers a handler while nobody raises anything.
  private func register(isCounted: Bool = true) -> SignalJudge {
    let judge = SignalJudge(raises, isCounted: isCounted, name: "handler", court: court)
    judge.registered()
    return judge
  }

  private func raise(_ count: Int = 1, arrives: Bool = true) {
    for _ in 0..<count { raises.count { arrives } }
  }

  private var broken: [Rule] { court.all.map(\.rule) }

  @Test("has nothing to say of one that is told all of them, in one call or in many")
  func legal() {
    raise(5)
    let judge = register()
    raise(3)
    judge.told(1)
    judge.told(2)
    raise()
    judge.told(1)

    judge.judgeEnd(raises.least)

    #expect(broken == [])
  }

  @Test("misses a delivery that nobody was told of")
  func tooFew() {
    raise(2)
    let judge = register()
    raise(3)
    judge.told(2)

    judge.judgeEnd(raises.least)

    #expect(broken == [.events])
    #expect(
      court.all.first?.first == "handler was told of 2 deliveries, and there were 3 at least")
  }

  @Test("sees a delivery that was told twice, that never was, or that came before the handler")
  func tooMany() {
    raise(2)
    let judge = register()
    raise()
    judge.told(1)
    #expect(broken == [])

    judge.told(1)

    #expect(broken == [.events])
    #expect(court.all.first?.first == "handler was told of 2 deliveries, and there were 1 at most")
  }

  @Test("sees a call without a delivery")
  func nothing() {
    let judge = register()

    judge.told(0)

    #expect(broken == [.events])
  }

  @Test("leaves open whether one that is raised beside the registration is told")
  func beside() {
    for told in [0, 1] {
      let court = Court()
      var judge: SignalJudge?
      raises.count {
        judge = SignalJudge(raises, name: "handler", court: court)
        judge?.registered()
        return true
      }
      if told > 0 { judge?.told(told) }
      judge?.judgeEnd(raises.least)
      #expect(court.all.isEmpty)

      judge?.told(1)
      #expect(court.hasFindings == (told == 1))
    }
  }

  @Test("leaves open whether what came after the end is told")
  func late() {
    let judge = register()
    raise()
    judge.told(1)
    let least = raises.least
    raise()

    judge.judgeEnd(least)

    #expect(broken == [])
  }

  @Test("does not miss what one that is being cancelled is not told of")
  func cancelled() {
    let judge = register()
    raise()
    judge.calls.cancels()

    judge.judgeEnd(raises.least)

    #expect(broken == [])
  }

  @Test("leaves open how many a merged signal is, and what came before")
  func merged() {
    raise(2)
    let judge = register(isCounted: false)
    #expect(judge.isHeard)
    raise(3)
    #expect(!judge.isHeard)

    judge.told(1)

    #expect(judge.isHeard)
    judge.judgeEnd(raises.least)
    judge.told(4)
    #expect(broken == [])
    judge.told(1)
    #expect(broken == [.events])
  }

  @Test("waits for none that may never come, nor for one that was cancelled")
  func unheard() {
    let judge = register(isCounted: false)
    raise(arrives: false)
    #expect(judge.isHeard)
    raise()
    #expect(!judge.isHeard)

    judge.calls.cancels()

    #expect(judge.isHeard)
  }
}
