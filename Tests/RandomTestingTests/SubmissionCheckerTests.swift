import RandomTesting
import TaskDispatch
import Testing

/// A checker that never finds anything would find every program good.
@Suite("The checker of what calls and bodies see")
struct SubmissionCheckerTests {
  /// Two tasks that one thread has submitted to a view of width 1, with the tickets of call, return, begin and
  /// end.
  private var good: Trial {
    var trial = Trial(
      queues: [
        .init(label: "foreground", width: 1), .init(label: "background", width: 2),
        .init(label: "view", width: 1),
      ], workers: 2, bandsAreStrict: true)
    trial.submissions = [posted(1, 2, ran: 5, 6), posted(3, 4, ran: 7, 8)]
    trial.shutdowns = [.init(called: 9, returned: 10, drainsNothing: false)]
    trial.over = 11
    trial.counts = [0, 0, 2]
    trial.ledger.accepted = 2
    trial.ledger.completed = 2
    return trial
  }

  private func posted(
    _ called: Int, _ returned: Int, ran began: Int, _ ended: Int, band: PriorityBand = .medium,
    isBarrier: Bool = false
  ) -> Submission {
    var submission = Submission(
      called: called, form: .posted, queue: 2, band: band, isBarrier: isBarrier, parent: nil,
      thread: 0)
    submission.returned = returned
    submission.isAccepted = true
    submission.runs = [.init(began: began, ended: ended, time: 0, thread: 1)]
    return submission
  }

  private func expect(
    _ rule: Int, _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ spoil: (inout Trial) -> Void
  ) {
    var trial = good
    spoil(&trial)
    let violations = SubmissionChecker.violations(in: trial)
    #expect(
      violations.contains { $0.rule == rule && $0.what.contains(words) }, "\(violations)",
      sourceLocation: sourceLocation)
  }

  @Test("finds nothing in a good trial")
  func finds() {
    #expect(SubmissionChecker.violations(in: good) == [])
  }

  @Test("finds a body inside the call that submitted it")
  func later() {
    expect(1, "inside the call") {
      $0.submissions[1] = posted(3, 9, ran: 7, 8)
      $0.submissions[1].runs[0] = .init(began: 7, ended: 8, time: 0, thread: 0)
    }
  }

  @Test("finds a body that ran twice, one that was lost, and one that was refused and ran")
  func once() {
    expect(2, "ran 2 times") { $0.submissions[0].runs += $0.submissions[0].runs }
    expect(2, "is lost") { $0.submissions[0].runs = [] }
    expect(2, "was refused, and ran") { $0.submissions[0].isAccepted = false }
    expect(2, "did not come to its end") { $0.submissions[0].runs[0].ended = nil }
  }

  @Test("finds a task that was overtaken, and two that overlap")
  func order() {
    expect(3, "overtook") {
      $0.submissions = [posted(1, 2, ran: 7, 8), posted(3, 4, ran: 5, 6)]
    }
    expect(4, "ran at a time") {
      $0.submissions = [posted(1, 2, ran: 5, 7), posted(3, 4, ran: 6, 8)]
    }
    expect(4, "counted to 1") { $0.counts[2] = 1 }
  }

  @Test("finds a barrier that is passed")
  func barriers() {
    expect(6, "passed") {
      $0.submissions = [posted(1, 2, ran: 7, 8, isBarrier: true), posted(3, 4, ran: 5, 6)]
    }
  }

  @Test("finds a lower band that runs first, though a higher one waited")
  func bands() {
    expect(7, "of a higher band") {
      $0.submissions = [
        posted(1, 2, ran: 5, 10), posted(3, 4, ran: 11, 12, band: .low),
        posted(6, 7, ran: 13, 14, band: .high),
      ]
    }
  }

  @Test("finds a timer that runs early, and a cancelled task that runs")
  func calls() {
    expect(8, "was due at 5") { $0.submissions[0].due = 5 }
    expect(9, "in spite of") {
      $0.submissions[0].cancels = [.init(called: 3, returned: 4, answer: .beforeStart)]
    }
    expect(9, "in spite of") {
      $0.submissions[0].cancels = [.init(called: 3, returned: 4, answer: .requested)]
      $0.submissions[0].runs = []
    }
  }

  @Test("finds bodies that go on in a suspended view, and after the report")
  func ends() {
    expect(4, "while it was suspended") {
      $0.suspensions = [.init(queue: 2, from: 4, to: 9)]
    }
    expect(13, "after the report") { $0.over = 7 }
    expect(13, "was accepted after") { $0.submissions.append(posted(12, 13, ran: 14, 15)) }
    expect(13, "2 bodies ran") { $0.ledger.completed = 3 }
    expect(13, "the report denies it") { $0.neverStarted = [1] }
  }
}
