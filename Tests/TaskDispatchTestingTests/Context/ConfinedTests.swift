import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("Confined state on a fake")
struct ConfinedTests {
  private struct Torn: Error {}
  private struct Ticket: ~Copyable { var number = 0 }
  private let dispatcher = RecordingDispatcher()

  @Test("is touched by the tasks of its queue, and by its sync bodies", arguments: [true, false])
  func touched(onForeground: Bool) throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let queue = onForeground ? dispatcher.foreground : disk
    let lines = Confined([String](), to: queue)
    queue { lines.withValue { $0.append("task") } }
    queue.barrier { lines.withValue { $0.append("barrier") } }

    let all = try queue.sync {
      lines.withValue { lines in
        lines.append("sync")
        return lines
      }
    }

    #expect(all == ["task", "barrier", "sync"])
    try dispatcher.finish()
  }

  @Test("of the foreground is looked at by the test between two steps")
  func betweenSteps() throws {
    let lines = Confined([String](), to: dispatcher.foreground)
    lines.withValue { $0.append("seed") }
    dispatcher.foreground { lines.withValue { $0.append("task") } }

    try dispatcher.runUntilIdle()

    #expect(lines.withValue { $0 } == ["seed", "task"])
    try dispatcher.finish()
  }

  @Test("is touched in a sync body of another queue that its own task calls")
  func outerQueue() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let count = Confined(0, to: dispatcher.foreground)
    dispatcher.foreground { try! disk.sync { count.withValue { $0 += 1 } } }

    try dispatcher.runUntilIdle()

    #expect(count.withValue { $0 } == 1)
    try dispatcher.finish()
  }

  @Test("passes on the error of its body, and keeps what was changed before")
  func throwing() throws {
    let count = Confined(1, to: dispatcher.foreground)

    #expect(throws: Torn.self) {
      try count.withValue { value throws(Torn) in
        value = 2
        throw Torn()
      }
    }

    #expect(count.withValue { $0 } == 2)
  }

  @Test("may be something that cannot be copied")
  func noncopyable() {
    let ticket = Confined(Ticket(number: 3), to: dispatcher.foreground)

    let number = ticket.withValue { ticket -> Int in
      ticket.number += 1
      return ticket.number
    }

    #expect(number == 4)
  }

  @Test("is handed out once the report is there")
  func taken() throws {
    let lines = Confined(["a"], to: dispatcher.makeQueue(label: "disk", width: 1))
    dispatcher.beginShutdown()

    #expect(lines.takeValue() == ["a"])
  }

  @Test("traps for the task of another view, and names both queues")
  func elsewhere() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let dispatcher = RecordingDispatcher()
      let count = Confined(0, to: dispatcher.makeQueue(label: "disk", width: 1))
      let other = dispatcher.makeQueue(label: "net", width: 1)
      other.async(label: "task") { count.withValue { $0 += 1 } }
      try dispatcher.runUntilIdle()
    }
    #expect(result?.said("is confined to disk, and runs on net (in \"task\")") == true)
  }

  @Test("traps between two steps if its queue is a view")
  func viewBetweenSteps() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let dispatcher = RecordingDispatcher()
      Confined(0, to: dispatcher.makeQueue(label: "disk", width: 1)).withValue { $0 += 1 }
    }
    #expect(result?.said("is confined to disk, and runs on no queue") == true)
  }

  @Test("traps for a task that a worker of its queue runs while it waits")
  func helping() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let dispatcher = RecordingDispatcher(.init(width: 1))
      let disk = dispatcher.makeQueue(label: "disk", width: 1)
      let net = dispatcher.makeQueue(label: "net", width: 1)
      let count = Confined(0, to: disk)
      net.async(label: "meanwhile") { count.withValue { $0 += 1 } }
      disk { try! net.sync {} }
      try dispatcher.runTask(labeled: "meanwhile")
    }
    #expect(result?.said("is confined to disk, and runs on net (in \"meanwhile\")") == true)
  }

  @Test("traps if it is taken before the report")
  func takenEarly() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Confined(0, to: RecordingDispatcher().foreground).takeValue()
    }
    #expect(result?.said("until its dispatcher has shut down; await its report") == true)
  }

  @Test("traps if it is taken twice, or touched after it was taken", arguments: [true, false])
  func takenTwice(isTouched: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [isTouched] in
      let dispatcher = RecordingDispatcher()
      let count = Confined(0, to: dispatcher.foreground)
      dispatcher.beginShutdown()
      _ = count.takeValue()
      if isTouched { count.withValue { $0 += 1 } } else { _ = count.takeValue() }
    }
    let words = isTouched ? "was taken from its queue, foreground" : "the value was taken already"
    #expect(result?.said(words) == true)
  }

  @Test("traps if it is touched inside of itself")
  func inside() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let count = Confined(0, to: RecordingDispatcher().foreground)
      count.withValue { _ in count.withValue { $0 += 1 } }
    }
    #expect(result?.said("withValue inside withValue, for state that is confined to") == true)
  }

  @Test("traps if it is taken while a body is in it that the shutdown has given up")
  func takenUnderABody() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let dispatcher = RecordingDispatcher()
      let count = Confined(0, to: dispatcher.foreground)
      let never = WorkGroup()
      never.enter()
      dispatcher.foreground {
        count.withValue { _ in
          dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .milliseconds(10)))
          try? never.wait(timeout: .seconds(1))
          guard dispatcher.report != nil else { exit(0) }
          _ = count.takeValue()
        }
      }
      try dispatcher.runUntilIdle()
    }
    #expect(result?.said("a body is in withValue of the state that is confined to") == true)
  }

  @Test("is handed out after the body that the shutdown had given up")
  func takenAfterTheBody() throws {
    let count = Confined(0, to: dispatcher.foreground)
    let never = WorkGroup()
    never.enter()
    dispatcher.foreground { [dispatcher] in
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .milliseconds(10)))
      #expect(throws: WaitRefusal.timedOut) { try never.wait(timeout: .seconds(1)) }
      count.withValue { $0 += 1 }
    }

    try dispatcher.runUntilIdle()

    #expect(dispatcher.report?.ledger.abandoned == 1)
    #expect(count.takeValue() == 1)
    never.leave()
    try dispatcher.finish()
  }
}
