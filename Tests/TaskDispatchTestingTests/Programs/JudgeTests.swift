import TaskDispatch
import TaskDispatchTesting
import Testing

/// A judge that never finds anything would find every program good.
@Suite("The judge of random programs")
struct JudgeTests {
  private struct Story {
    var log = ProgramLog(workers: 2, widths: ["foreground": 1, "background": 2, "one": 1])
    private var time: Int64 = 0

    mutating func at(_ time: Int64) { self.time = time }

    mutating func task(
      _ id: UInt64, on queue: String = "background", band: PriorityBand = .medium,
      isBarrier: Bool = false, due: Int64? = nil, timeToLive: Int64? = nil
    ) {
      log.facts["\(id)"] = ProgramLog.Facts(
        queue: queue, band: band, isBarrier: isBarrier, due: due, timeToLive: timeToLive)
      event(.enqueued, id)
    }

    mutating func event(_ kind: TaskEvent.Kind, _ id: UInt64) {
      let queue = log.facts["\(id)"]!.queue
      let record = TaskRecord(
        id: TaskID(id), label: "\(id)", lane: queue == "foreground" ? .foreground : .background,
        queue: queue, site: CallSite(fileID: "story", line: 1), parent: nil,
        enqueuedAt: .start)
      log.lines.append(
        .event(TaskEvent(kind, record, at: DispatcherInstant(nanoseconds: time))))
    }

    mutating func start(_ id: UInt64) { event(.started, id) }

    mutating func run(_ id: UInt64) {
      log.lines += [.bodyBegan("\(id)"), .bodyEnded("\(id)")]
      event(.finished(.completed), id)
    }

    /// The findings. The ledger agrees with the events unless `ledger` says otherwise.
    func findings(_ ledger: Ledger? = nil) -> [String] {
      var log = log
      log.ledger = ledger ?? Self.ledger(of: log)
      return Judge.findings(in: log)
    }

    static func ledger(of log: ProgramLog) -> Ledger {
      var ledger = Ledger()
      for event in log.events {
        switch event.kind {
        case .enqueued: ledger.accepted += 1
        case .refused: ledger.refused += 1
        case .finished(let outcome): ledger.count(outcome)
        default: break
        }
      }
      return ledger
    }
  }

  /// Expects findings in a story, all of which contain `words`.
  private func expect(
    _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ tell: (inout Story) -> Void
  ) {
    var story = Story()
    tell(&story)
    let findings = story.findings()
    #expect(!findings.isEmpty, sourceLocation: sourceLocation)
    #expect(
      findings.allSatisfy { $0.contains(words) }, "\(findings)", sourceLocation: sourceLocation)
  }

  @Test("finds nothing in a good story")
  func good() {
    var story = Story()
    story.task(1)
    story.task(2)
    story.start(1)
    story.start(2)
    story.run(2)
    story.run(1)

    #expect(story.findings() == [])
    #expect(story.findings(Ledger()).count == 1)
  }

  @Test("finds a task with two outcomes, with none, and one that runs although it was cancelled")
  func outcomes() {
    var twice = Story()
    twice.task(1)
    twice.start(1)
    twice.run(1)
    twice.event(.finished(.completed), 1)
    #expect(twice.findings().contains { $0.contains("has 2 outcomes") })
    var lost = Story()
    lost.task(1)
    #expect(lost.findings().contains { $0.contains("has 0 outcomes") })
    expect("started, and ended") {
      $0.task(1)
      $0.start(1)
      $0.event(.finished(.cancelled), 1)
    }
  }

  @Test("finds a body that ran twice, and one that never did")
  func bodies() {
    expect("bodies ran") { story in
      story.task(1)
      story.start(1)
      story.log.lines += [.bodyBegan("1"), .bodyEnded("1")]
      story.run(1)
    }
    expect("bodies ran") {
      $0.task(1)
      $0.start(1)
      $0.event(.finished(.completed), 1)
    }
  }

  @Test("finds a task that was overtaken in its band, or by a lower one")
  func order() {
    expect("was overtaken by #2") { story in
      story.task(1)
      story.task(2)
      for id: UInt64 in [2, 1] {
        story.start(id)
        story.run(id)
      }
    }
    expect("is of a higher band than #1") { story in
      story.task(1, band: .low)
      story.task(2, band: .high)
      for id: UInt64 in [1, 2] {
        story.start(id)
        story.run(id)
      }
    }
  }

  @Test("finds a barrier that does not run alone, and one that is passed")
  func barriers() {
    expect("2") { story in
      story.task(1)
      story.task(2, isBarrier: true)
      story.start(1)
      story.start(2)
      story.run(1)
      story.run(2)
    }
    expect("is passed by #2") { story in
      story.task(1, isBarrier: true)
      story.task(2, band: .high)
      for id: UInt64 in [2, 1] {
        story.start(id)
        story.run(id)
      }
    }
  }

  @Test("finds more on a queue than its width, and more than there are workers")
  func widths() {
    expect("is one too many on its queue") { story in
      for id: UInt64 in 1...2 { story.task(id, on: "one") }
      for id: UInt64 in 1...2 { story.start(id) }
      for id: UInt64 in 1...2 { story.run(id) }
    }
    expect("is one too many for the workers") { story in
      story.task(1, on: "one")
      for id: UInt64 in 2...3 { story.task(id) }
      for id: UInt64 in 1...3 { story.start(id) }
      for id: UInt64 in 1...3 { story.run(id) }
    }
  }

  @Test("finds what starts too early, or when it has expired, or expires too early")
  func time() {
    expect("before its time") {
      $0.task(1, due: 5)
      $0.at(4)
      $0.start(1)
      $0.run(1)
    }
    expect("when it had expired") {
      $0.task(1, timeToLive: 3)
      $0.at(4)
      $0.start(1)
      $0.run(1)
    }
    expect("expired too early") {
      $0.task(1, timeToLive: 3)
      $0.at(3)
      $0.event(.finished(.expired), 1)
    }
  }

  @Test("finds what starts after a cancel that said it never would, or on a held queue")
  func cancellations() {
    expect("cancel") { story in
      story.task(1)
      story.log.lines.append(.cancelled("1", .beforeStart))
      story.start(1)
      story.run(1)
    }
    expect("although its queue is suspended") { story in
      story.task(1, on: "one")
      story.log.lines.append(.suspended("one"))
      story.start(1)
      story.run(1)
    }
  }
}
