import TaskDispatch
import TaskDispatchTesting
import Testing
import UVDispatch

@Suite("An author of a dispatcher is told")
struct MisuseTests {
  private static func item(_ kind: WorkItem.Kind = .task) -> WorkItem {
    WorkItem.make(
      kind: kind, queue: SteppedDispatcher().foreground, label: "mine",
      site: CallSite(fileID: #fileID, line: #line), due: kind == .repeating ? .start : nil,
      repetition: kind == .repeating ? Repetition(every: .seconds(1), catchUp: .once) : nil
    ) {}
  }

  private static func timer() -> RepeatingTimer { item(.repeating).take()!.asTimer! }

  private func expect(_ message: String, _ result: ExitTest.Result?) {
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(said.contains(message), "\(said)")
  }

  @Test("of endings that it drops")
  func dropped() async {
    expect(
      "Endings were dropped that nothing was told of, such as that of \"mine\"",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var endings = Endings()
        endings.end(Self.item().take()!, .cancelled)
        _ = consume endings
      })
  }

  @Test("of an end that does not fit: it does not run")
  func notRunning() async {
    expect(
      "\"mine\" cannot end as completed: it does not run",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var endings = Endings()
        endings.end(Self.item().take()!, .completed)
        endings.tell(for: nil, outsideTasks: true)
      })
  }

  @Test("of an end that does not fit: its body was not called")
  func notCalled() async {
    expect(
      "\"mine\" cannot end as completed: its body was not called",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var endings = Endings()
        let taken = Self.item().take()!
        _ = taken.begin(at: .start)
        endings.end(taken, .completed)
        endings.tell(for: nil, outsideTasks: true)
      })
  }

  @Test("of a repeating timer that it begins")
  func begun() async {
    expect(
      "\"mine\" is a repeating timer, which never begins",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.timer().taken.begin(at: .start)
      })
  }

  @Test("of a repeating timer that ends before its run")
  func endsBeforeRun() async {
    expect(
      "\"mine\" cannot end while it has a run",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let timer = Self.timer()
        _ = timer.comeDue(at: .start)
        var endings = Endings()
        endings.end(timer.taken, .cancelled)
        endings.tell(for: nil, outsideTasks: true)
      })
  }

  @Test("of a repeating timer that comes due early, with a run, or after its end")
  func comesDue() async {
    expect(
      "\"mine\" has a run: it comes due again only once endRun(at:) says so",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let timer = Self.timer()
        _ = timer.comeDue(at: .start)
        _ = timer.comeDue(at: .distantFuture)
      })
    expect(
      "\"mine\" comes due at",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.timer().comeDue(at: DispatcherInstant.start.advanced(by: .seconds(-1)))
      })
    expect(
      "\"mine\" has ended, and cannot come due",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let timer = Self.timer()
        var endings = Endings()
        endings.end(timer.taken, .cancelled)
        endings.tell(for: nil, outsideTasks: true)
        _ = timer.comeDue(at: .start)
      })
  }

  @Test("of a run that does not run, and of a timer that has none")
  func endsRun() async {
    expect(
      "the run of \"mine\" does not run",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let timer = Self.timer()
        _ = timer.comeDue(at: .start)
        _ = timer.endRun(at: .start)
      })
    expect(
      "\"mine\" has no run that could end",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.timer().endRun(at: .start)
      })
    expect(
      "\"mine\" has no run: end it as cancelled",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Self.timer().stopTicks(at: .start)
      })
  }

  @Test("nothing of a timer that was asked to stop: it ends")
  func asked() {
    let timer = Self.timer()
    timer.taken.item.requestCancellation()
    guard case .end = timer.comeDue(at: .start) else {
      Issue.record("it was asked to stop")
      return
    }
  }

  @Test(
    "of an item that another dispatcher is asked about", arguments: [false, true], [false, true])
  func elsewhere(isFake: Bool, isCancelled: Bool) async {
    expect(
      "\"mine\" was submitted to another dispatcher",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [isFake, isCancelled] in
        let other: any DispatcherImplementation =
          isFake ? RecordingDispatcher() : try UVDispatcher()
        let (stepped, item) = (SteppedDispatcher(), Self.item())
        _ = stepped.submit(item)
        if isCancelled {
          _ = other.cancel(item)
        } else {
          try other.wait(for: .item(item), timeout: .milliseconds(1))
        }
      })
  }
}
