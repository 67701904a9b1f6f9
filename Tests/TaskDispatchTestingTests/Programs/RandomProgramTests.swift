import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A random program on the fake")
struct RandomProgramTests {
  @Test("keeps the rules, and is the same when it is run again", arguments: 0..<600)
  func keepsTheRules(seed: Int) {
    let log = Program.run(seed: seed)

    #expect(Judge.findings(in: log) == [])
    #expect(Program.run(seed: seed) == log)
  }

  @Test("meets everything that the programs are about, in a hundred of them")
  func covers() {
    let logs = (0..<100).map(Program.run(seed:))

    let kinds = logs.flatMap(\.events).map(\.kind)
    for kind: TaskEvent.Kind in [
      .started, .due, .cancellationRequested, .finished(.completed), .finished(.cancelled),
      .finished(.expired), .finished(.abandoned), .refused(.shutDown), .refused(.limitReached),
      .refused(.wouldDeadlock),
    ] {
      #expect(kinds.contains(kind))
    }
    let lines = logs.flatMap(\.lines)
    for answer: Cancellation in [.beforeStart, .requested, .tooLate] {
      #expect(lines.contains { if case .cancelled(_, answer) = $0 { true } else { false } })
    }
    let started = logs.map { log in
      log.events.filter { $0.kind == .started }.map(\.task)
    }
    #expect(started.joined().contains { UInt($0.site.line) == ProgramLog.barrierSync })
    #expect(
      zip(logs, started).contains { log, tasks in
        tasks.contains { log.facts[$0.label ?? ""]?.isBarrier == true }
      })
    #expect(
      zip(logs, started).contains { log, tasks in
        tasks.contains { log.facts[$0.label ?? ""]?.isNotification == true }
      })
    #expect(kinds.count > 5_000)
  }
}
