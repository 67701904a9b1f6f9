import TaskDispatch
import Testing

@Suite("The face of a repeating timer for dispatchers")
struct RepeatingTimerTests {
  private let dispatcher = SteppedDispatcher()

  private func timer(_ catchUp: CatchUp) throws -> RepeatingTimer {
    let item = WorkItem.make(
      kind: .repeating, queue: dispatcher.foreground, label: "timer",
      site: CallSite(fileID: #fileID, line: #line), due: at(10),
      repetition: Repetition(every: .seconds(10), catchUp: catchUp)
    ) {}
    return try #require(item.take()?.asTimer)
  }

  private func at(_ seconds: Int) -> DispatcherInstant {
    DispatcherInstant.start.advanced(by: .seconds(seconds))
  }

  private func missedTicks(of run: TakenItem) -> Int {
    let context = TaskContext(
      queue: dispatcher.foreground.identity, site: run.item.site, item: run.item)
    return context.run(by: dispatcher) { CurrentTask.missedTicks }
  }

  @Test("makes runs, counts the ticks that get none, and says when the next tick is")
  func missedTicks() throws {
    let timer = try timer(.skip)
    guard case .run(let run) = timer.comeDue(at: at(10)) else {
      Issue.record("its time has come")
      return
    }
    #expect(run.item !== timer.taken.item)
    #expect(run.timerOfRun?.taken.item === timer.taken.item)
    #expect(timer.run?.item === run.item)
    #expect(run.asTimer == nil)
    #expect(run.item.take() == nil, "its dispatcher has taken it")
    // Two ticks come while it waits in its queue.
    #expect(run.begin(at: at(35)))
    #expect(missedTicks(of: run) == 2)
    let outcome = run.item.run()
    guard case .wait(let next) = timer.endRun(at: at(36)) else {
      Issue.record("it waits for its next tick")
      return
    }
    #expect(next == at(40))
    #expect(timer.run == nil)
    var endings = Endings()
    let isEnded = endings.end(run, outcome)
    #expect(isEnded)
    endings.tell(for: dispatcher, outsideTasks: true)
    #expect(timer.taken.item.outcome == nil)
  }

  @Test("gives owed ticks their runs, also when they are stopped, until those are dropped")
  func owed() throws {
    let timer = try timer(.all)
    var runs = 0
    var next = timer.comeDue(at: at(40))
    timer.stopTicks(at: at(45))
    while case .run(let run) = next {
      runs += 1
      #expect(run.begin(at: at(100)))
      if runs == 3 { timer.dropOwedRuns() }
      next = timer.endRun(at: at(100))
    }
    guard case .end = next else {
      Issue.record("no tick comes any more")
      return
    }
    #expect(runs == 3)
  }

  @Test("ends when it is cancelled during a run, and forgets a run that never starts")
  func cancelled() throws {
    let timer = try timer(.once)
    guard case .run(let run) = timer.comeDue(at: at(10)), run.begin(at: at(10)) else {
      Issue.record("its time has come")
      return
    }
    timer.taken.item.requestCancellation()
    guard case .end = timer.endRun(at: at(11)) else {
      Issue.record("it was cancelled")
      return
    }
    let other = try self.timer(.once)
    _ = other.comeDue(at: at(10))
    #expect(other.run != nil)
    other.forgetRun()
    #expect(other.run == nil)
  }

  @Test("comes due in the distant future at last, and no tick was missed by then")
  func distantFuture() throws {
    let item = WorkItem.make(
      kind: .repeating, queue: dispatcher.foreground, label: "timer",
      site: CallSite(fileID: #fileID, line: #line), due: .distantFuture,
      repetition: Repetition(every: .seconds(10), catchUp: .skip)
    ) {}
    let timer = try #require(item.take()?.asTimer)
    guard case .run(let run) = timer.comeDue(at: .distantFuture) else {
      Issue.record("its time has come")
      return
    }
    #expect(run.begin(at: .distantFuture))
    #expect(missedTicks(of: run) == 0)
    timer.forgetRun()
  }

  @Test("counts ticks from long before the start of time")
  func longBefore() throws {
    let item = WorkItem.make(
      kind: .repeating, queue: dispatcher.foreground, label: "timer",
      site: CallSite(fileID: #fileID, line: #line),
      due: DispatcherInstant.start.advanced(by: .seconds(Int64.min / 2_000_000_000)),
      repetition: Repetition(every: .seconds(10), catchUp: .once)
    ) {}
    let timer = try #require(item.take()?.asTimer)
    guard case .run(let run) = timer.comeDue(at: at(10)) else {
      Issue.record("its time has come")
      return
    }
    #expect(run.begin(at: at(10)))
    #expect(missedTicks(of: run) > 0)
    timer.forgetRun()
  }

  @Test("traps if its time has not come")
  func tooEarly() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let tests = RepeatingTimerTests()
      _ = try tests.timer(.skip).comeDue(at: tests.at(9))
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("\"timer\" comes due at"))
  }
}
