import Testing

@testable import TaskDispatch

@Suite("The progress of a shutdown")
struct ShutdownProgressTests {
  private static func progress(_ phase: ShutdownProgress.Phase) -> ShutdownProgress {
    var progress = ShutdownProgress(
      ShutdownPolicy(drain: .nanoseconds(100), cancel: .nanoseconds(50)),
      at: DispatcherInstant(nanoseconds: 1_000))
    switch phase {
    case .draining: break
    case .cancelling: progress.beginCancelling()
    case .over: progress.end()
    }
    return progress
  }

  @Test("counts its deadlines from the call, the second from the first")
  func deadlines() {
    let progress = Self.progress(.draining)

    #expect(progress.drainUntil == 1_100)
    #expect(progress.cancelUntil == 1_150)
    #expect(!progress.drainIsOver(at: 1_099) && progress.drainIsOver(at: 1_100))
    #expect(!progress.cancelIsOver(at: 1_149) && progress.cancelIsOver(at: 1_150))
  }

  @Test(
    "is shortened by another call, each deadline by itself, and never lengthened",
    arguments: [
      (drain: 10, cancel: 10, at: 1_000, deadlines: [1_010, 1_020]),
      (drain: 500, cancel: 500, at: 1_000, deadlines: [1_100, 1_150]),
      (drain: 0, cancel: 500, at: 1_050, deadlines: [1_050, 1_150]),
      (drain: 100, cancel: 0, at: 1_020, deadlines: [1_100, 1_120]),
    ] as [(drain: Int, cancel: Int, at: Int64, deadlines: [Int64])])
  func shortened(drain: Int, cancel: Int, at time: Int64, deadlines: [Int64]) {
    var progress = Self.progress(.draining)

    progress.shorten(
      ShutdownPolicy(drain: .nanoseconds(drain), cancel: .nanoseconds(cancel)),
      at: DispatcherInstant(nanoseconds: time))

    #expect([progress.drainUntil, progress.cancelUntil] == deadlines)
  }

  @Test(
    "calls handlers of signals until it gives up, and others until it cancels",
    arguments: [
      (.draining, 1_000, signals: true, others: true),
      (.draining, 1_149, signals: true, others: true),
      (.cancelling, 1_149, signals: true, others: false),
      (.cancelling, 1_150, signals: false, others: false),
      (.over, 1_000, signals: false, others: false),
    ] as [(ShutdownProgress.Phase, Int64, signals: Bool, others: Bool)])
  func handlers(phase: ShutdownProgress.Phase, time: Int64, signals: Bool, others: Bool) {
    let progress = Self.progress(phase)

    #expect(progress.callsHandlers(ofSignals: true, at: time) == signals)
    #expect(progress.callsHandlers(ofSignals: false, at: time) == others)
  }

  @Test("reports what is unfinished in the order of submission")
  func report() {
    var progress = Self.progress(.cancelling)
    for (number, label) in [(UInt64(3), "c"), (1, "a"), (2, "b")] {
      progress.note(
        ShutdownReport.Unfinished(
          label: label, queue: "queue", site: CallSite(fileID: "f", line: 1), age: nil,
          thread: nil, state: .neverStarted), number: number)
    }
    #expect(progress.report == nil)

    progress.end()
    let report = progress.makeReport(Ledger())

    #expect(report.unfinished.map(\.label) == ["a", "b", "c"])
    #expect(progress.report?.unfinished == report.unfinished)
  }
}
