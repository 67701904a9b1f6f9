import Judging
import TaskDispatch
import Testing

@Suite("A history of what was submitted and what has run")
struct HistoryTests {
  private let history = History(queues: [.init(width: 1), .init(width: 2)])

  private func submitted(
    _ kind: History.Kind = .task, on queue: Int = 0, _ band: PriorityBand = .medium
  ) -> History.Entry {
    let entry = history.ask(kind, on: queue, band)
    history.accept(entry)
    return entry
  }

  private func run(_ entries: History.Entry...) {
    for entry in entries {
      history.begin(entry)
      history.end(entry)
    }
  }

  /// The first line of what the judge says.
  private var verdict: String? {
    history.check()
    return history.failure.map { String($0.prefix { $0 != "\n" }) }
  }

  @Test("is right if each body runs once, in order, in its width and band")
  func right() {
    let first = submitted()
    let high = submitted(on: 0, .high)
    let (left, right) = (submitted(on: 1), submitted(on: 1))
    let barrier = submitted(.barrier, on: 1)
    run(first, high)
    history.begin(right)
    history.begin(left)
    history.end(right)
    history.end(left)
    run(barrier, submitted(.sync, on: 1))
    #expect(verdict == nil)
  }

  @Test("is wrong if a body does not run, or runs twice")
  func once() {
    let body = submitted()
    #expect(verdict == "rule 2: body 0 has not run")
    let other = HistoryTests()
    let twice = other.submitted()
    other.run(twice, twice)
    #expect(other.verdict == "rule 2: body 0 runs twice")
    run(body)
  }

  @Test("is wrong if a queue runs more than its width", arguments: [0, 1])
  func width(queue: Int) {
    for _ in 0...(queue + 1) { history.begin(submitted(on: queue)) }
    #expect(
      verdict?.hasPrefix("rule 4: body \(queue + 1) begins in queue \(queue), which is full")
        == true)
  }

  @Test(
    "is wrong if a queue of width 1 changes the order of a band", arguments: PriorityBand.allCases)
  func order(band: PriorityBand) {
    let (one, two) = (submitted(on: 0, band), submitted(on: 0, band))
    run(two, one)
    #expect(verdict == "rule 3: body 1 begins before body 0, which was submitted before it")
  }

  @Test("is right if two calls overlapped, whatever runs first")
  func overlap() {
    let (one, two) = (history.ask(.task, on: 0), history.ask(.task, on: 0))
    history.accept(one)
    history.accept(two)
    run(two, one)
    #expect(verdict == nil)
  }

  @Test("is wrong if something runs beside a barrier")
  func beside() {
    history.begin(submitted(on: 1))
    history.begin(submitted(.barrier, on: 1))
    #expect(verdict == "rule 6: body 1 begins, and body 0 runs in its queue")
  }

  @Test("is wrong if something changes its side of a barrier")
  func side() {
    let (before, barrier) = (submitted(on: 1), submitted(.barrier, on: 1))
    run(barrier, before)
    #expect(
      verdict == "rule 6: body 1 begins before body 0 has ended, and one is a barrier")
  }

  @Test("is wrong if a lower band goes before one that was there when the queue took its next")
  func band() {
    let first = submitted()
    history.begin(first)
    let (low, high) = (submitted(on: 0, .low), submitted(on: 0, .high))
    history.end(first)
    run(low, high)
    #expect(verdict == "rule 7: body 1 begins before body 2, which has a higher band")
  }

  @Test("is wrong if a body runs that was cancelled or refused")
  func cancelled() {
    let body = submitted()
    history.refuse(body)
    run(body)
    #expect(verdict == "rule 9: body 0 runs, and was cancelled before its start")
    let other = HistoryTests()
    let late = other.submitted()
    other.run(late)
    other.history.beginClosing()
    other.history.note(.refused(.shutDown), of: late)
    #expect(other.verdict == "rule 9: body 0 was refused or cancelled, and has run")
  }

  @Test("is wrong if an outcome is missing, or says what was not")
  func outcome() {
    let body = submitted()
    history.note(nil as Outcome?, of: body)
    run(body)
    #expect(verdict == "rule 2: body 0 has no outcome")
    let other = HistoryTests()
    other.history.note(.completed, of: other.submitted())
    #expect(other.verdict == "rule 2: body 0 is completed, and has not run")
  }

  @Test("is wrong if a flush ends before what it waits for")
  func flush() {
    let body = submitted()
    history.noteFlush(of: history.unfinished(on: 0))
    run(body)
    #expect(verdict == "a flush has ended before body 0")
  }

  @Test("says nothing of a queue that is left open")
  func open() {
    _ = submitted()
    history.leaveOpen(0)
    #expect(verdict == nil)
    #expect(history.acceptedCount() == 1)
  }
}
