import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

/// The shutdown begins at 1 000 and may drain until 1 100 and cancel until 1 150. All times are in nanoseconds.
@Suite("The end of a dispatcher, as a value")
struct ShutdownValueTests {
  enum Phase: CaseIterable { case none, draining, cancelling, over, reported }

  private static let grace: Int64 = 100_000_000

  private func policy(_ drain: Int, _ cancel: Int) -> ShutdownPolicy {
    ShutdownPolicy(drain: .nanoseconds(drain), cancel: .nanoseconds(cancel))
  }

  /// The value in `phase`, reached as the dispatcher reaches it.
  private func closing(_ phase: Phase) -> Closing {
    var closing = Closing()
    if phase == .none { return closing }
    _ = closing.begin(policy(100, 50), at: DispatcherInstant(nanoseconds: 1_000))
    if phase == .draining { return closing }
    closing.beginCancelling()
    if phase == .cancelling { return closing }
    closing.end()
    if phase == .over { return closing }
    _ = closing.makeReport(Ledger())
    return closing
  }

  @Test(
    "the dispatcher knows in each phase whether a shutdown has begun, goes on, drains, is reported",
    arguments: [
      (.none, ""), (.draining, "begun goesOn draining"), (.cancelling, "begun goesOn"),
      (.over, "begun"), (.reported, "begun report"),
    ] as [(Phase, String)])
  func phases(phase: Phase, words: String) {
    let closing = closing(phase)

    var found: [String] = []
    if closing.hasBegun { found.append("begun") }
    if closing.goesOn { found.append("goesOn") }
    if closing.isDraining { found.append("draining") }
    if closing.report != nil { found.append("report") }

    #expect(found.joined(separator: " ") == words)
    #expect(closing.endsAt == (phase == .none ? nil : 1_150 + Self.grace))
  }

  /// When the loop has to be woken for a shutdown.
  struct Deadline: Sendable, CustomTestStringConvertible {
    let phase: Phase
    let now: Int64
    let next: Int64?

    init(_ phase: Phase, at now: Int64, _ next: Int64?) {
      (self.phase, self.now, self.next) = (phase, now, next)
    }

    var testDescription: String { "\(phase) at \(now)" }

    static let table = [
      Deadline(.none, at: 1_000, nil),
      Deadline(.draining, at: 1_000, 1_100),
      Deadline(.draining, at: 1_099, 1_100),
      Deadline(.draining, at: 1_100, 1_150),
      Deadline(.cancelling, at: 1_100, 1_150),
      Deadline(.cancelling, at: 1_149, 1_150),
      Deadline(.cancelling, at: 1_150, 100_001_150),
      Deadline(.cancelling, at: 100_001_149, 100_001_150),
      Deadline(.cancelling, at: 100_001_150, nil),
      // Work was cancelled before the first deadline, since nothing else was left.
      Deadline(.cancelling, at: 1_000, 1_100),
      Deadline(.over, at: 1_150, 100_001_150),
      Deadline(.reported, at: 1_000, nil),
      Deadline(.reported, at: 1_150, nil),
    ]
  }

  @Test(
    "the loop is woken when the drain is over, when the cancel phase is, and for the report",
    arguments: Deadline.table)
  func deadlines(_ deadline: Deadline) {
    #expect(closing(deadline.phase).nextDeadline(after: deadline.now) == deadline.next)
  }

  @Test("nothing is waited for once the report was made and its last deadline has passed")
  func pastDeadline() {
    for phase in Phase.allCases {
      let closing = closing(phase)
      let ends = closing.endsAt ?? 100_001_150
      let past = [0, 1_150, ends - 1, ends, ends + 1].map { closing.isPastDeadline(at: $0) }
      let isReported = phase == .reported
      #expect(past == [false, false, false, isReported, isReported], "\(phase)")
    }
  }

  @Test("the last deadline of a shutdown without end is the end of time, and none lies behind it")
  func withoutEnd() {
    var closing = Closing()
    _ = closing.begin(
      ShutdownPolicy(drain: .zero, cancel: .seconds(Int64.max / 2)),
      at: DispatcherInstant(nanoseconds: 7))

    #expect(closing.endsAt == .max)
    #expect(closing.nextDeadline(after: 6) == 7)
    #expect(closing.nextDeadline(after: 7) == .max)
    #expect(closing.nextDeadline(after: .max) == nil)
  }

  @Test(
    "a signal handler is called until bodies are given up, others until they are asked to stop",
    arguments: [
      (.none, 9_999, signals: true, others: true),
      (.draining, 1_149, signals: true, others: true),
      (.cancelling, 1_149, signals: true, others: false),
      (.cancelling, 1_150, signals: false, others: false),
      (.over, 1_000, signals: false, others: false),
      (.reported, 1_000, signals: false, others: false),
    ] as [(Phase, Int64, signals: Bool, others: Bool)])
  func handlers(phase: Phase, now: Int64, signals: Bool, others: Bool) {
    let closing = closing(phase)

    #expect(closing.callsHandlers(ofSignals: true, at: now) == signals)
    #expect(closing.callsHandlers(ofSignals: false, at: now) == others)
  }

  @Test(
    "the first call begins a shutdown; a later call shortens it, and never lengthens it",
    arguments: [
      (drain: 10, cancel: 10, at: 1_000, deadlines: [1_010, 1_020]),
      (drain: 500, cancel: 500, at: 1_000, deadlines: [1_100, 1_150]),
      (drain: 0, cancel: 500, at: 1_050, deadlines: [1_050, 1_150]),
    ] as [(drain: Int, cancel: Int, at: Int64, deadlines: [Int64])])
  func laterCall(drain: Int, cancel: Int, at time: Int64, deadlines: [Int64]) {
    var closing = Closing()
    let now = DispatcherInstant(nanoseconds: 1_000)
    let first = closing.begin(policy(100, 50), at: now)

    let second = closing.begin(policy(drain, cancel), at: DispatcherInstant(nanoseconds: time))

    #expect(first && !second)
    #expect(closing.nextDeadline(after: 0) == deadlines[0])
    #expect(closing.nextDeadline(after: deadlines[0]) == deadlines[1])
    #expect(closing.isDraining)
  }

  @Test(
    "the report names what was left behind in a shutdown, by the order of submission"
  )
  func report() throws {
    var closing = Closing()
    func note(_ label: String, _ number: UInt64) {
      closing.note(
        ShutdownReport.Unfinished(
          label: label, queue: "queue", site: .here(), age: nil, thread: nil, state: .abandoned),
        number: number)
    }
    note("too early", 1)
    let none = closing.makeReport(Ledger())
    _ = closing.begin(policy(100, 50), at: DispatcherInstant(nanoseconds: 1_000))
    note("second", 9)
    note("first", 3)
    var ledger = Ledger()
    ledger.abandoned = 2

    closing.end()
    let made = closing.makeReport(ledger)

    let report = try #require(made)
    #expect(none == nil)
    #expect(report.unfinished.map(\.label) == ["first", "second"])
    #expect(report.ledger == ledger && closing.report?.ledger == ledger)
  }

  @Test(
    "jobs go on outside a shutdown that ended at its deadline, those of the foreground if told so"
  )
  func stranded() {
    for foregroundToo in [false, true] {
      var closing = closing(.cancelling)
      #expect(!closing.strandsAll && !closing.strandsForeground)

      closing.strand(foregroundToo: foregroundToo)

      #expect(closing.strandsAll && closing.strandsForeground == foregroundToo)
    }
  }

  // MARK: Waiting for the report

  @Test("each thread that waits gets the report once, unless it has stopped to wait")
  func threads() {
    var closing = closing(.cancelling)
    let woken = Box<[UInt64]>([])
    for number in [UInt64(1), 2, 3] {
      closing.add(thread: number) { _ in woken.change { $0.append(number) } }
    }
    closing.remove(thread: 2)
    closing.remove(thread: nil)
    #expect(closing.threads.map(\.number) == [1, 3])

    let (first, again) = (closing.takeThreads(), closing.takeThreads())

    #expect(woken.value == [], "the threads are woken when the lock is free")
    for wake in first { wake(ShutdownReport(ledger: Ledger(), unfinished: [])) }
    #expect(woken.value == [1, 3])
    #expect(again.isEmpty && closing.threads.isEmpty)
  }

  @Test("each Task that awaits the report is resumed with it once, the first to await it first")
  func tasks() {
    var closing = closing(.cancelling)
    let resumed = Box<[Int]>([])
    for number in 1...3 { closing.add(task: { _ in resumed.change { $0.append(number) } }) }
    closing.add(thread: 1) { _ in resumed.change { $0.append(0) } }

    let (first, again) = (closing.takeTasks(), closing.takeTasks())

    for resume in first { resume(ShutdownReport(ledger: Ledger(), unfinished: [])) }
    #expect(resumed.value == [1, 2, 3])
    #expect(again.isEmpty && closing.tasks.isEmpty && closing.threads.count == 1)
  }

  @Test(
    "a Task on the main actor is awaited from the report until it has resumed",
    arguments: Phase.allCases)
  func mainActor(phase: Phase) {
    var closing = closing(phase)
    var awaited = [closing.isAwaitedOnMainActor]
    for _ in 0..<2 { closing.addAwaiterOnMainActor() }
    awaited.append(closing.isAwaitedOnMainActor)
    closing.removeAwaiterOnMainActor()
    awaited.append(closing.isAwaitedOnMainActor)
    closing.removeAwaiterOnMainActor()
    awaited.append(closing.isAwaitedOnMainActor)

    let isReported = phase == .reported
    #expect(awaited == [false, isReported, isReported, false])
  }
}
