import RandomTesting
import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A random program on the fake")
struct RandomProgramTests {
  @Test("keeps the rules, and is the same when it is run again", arguments: 0..<600)
  func keepsTheRules(seed: Int) {
    let history = Program.run(seed: seed)
    let again = Program.run(seed: seed)

    #expect(HistoryChecker.violations(in: history) == [])
    #expect(again.entries == history.entries)
    #expect(again.declared == history.declared)
    #expect(again.ledger == history.ledger)
  }

  @Test("meets everything that the programs are about, in a hundred of them")
  func covers() {
    let histories = (0..<100).map { Program.run(seed: $0) }

    let kinds = histories.flatMap(\.events).map(\.kind)
    for kind: TaskEvent.Kind in [
      .started, .due, .cancellationRequested, .finished(.completed), .finished(.cancelled),
      .finished(.expired), .finished(.abandoned), .refused(.shutDown), .refused(.limitReached),
      .refused(.wouldDeadlock),
    ] {
      #expect(kinds.contains(kind))
    }
    let lines = histories.flatMap(\.entries).map(\.line)
    for answer: Cancellation in [.beforeStart, .requested, .tooLate] {
      #expect(lines.contains { if case .cancelled(_, answer) = $0 { true } else { false } })
    }
    let started = histories.flatMap { history in
      history.events.filter { $0.kind == .started }
        .compactMap { history.declared[Int($0.task.site.line)] }
    }
    #expect(started.contains { $0.isBarrier && $0.form == .sync })
    #expect(started.contains { $0.isBarrier && $0.form != .sync })
    #expect(started.contains { $0.form == .notification })
    #expect(lines.contains(.over))
    #expect(histories.contains { $0.report?.unfinished.isEmpty == false })
    #expect(kinds.count > 5_000)
  }
}
