import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("An error of a wait or of a step")
struct EquatableErrorTests {
  private let dispatcher = RecordingDispatcher()

  @Test("can be named where it is expected")
  func named() throws {
    let group = WorkGroup()
    group.enter()
    dispatcher.background.async(group: group) {}

    #expect(throws: WaitRefusal.timedOut) { try group.wait(timeout: .seconds(1)) }
    #expect(
      throws: StepError.timeBackwards(
        now: dispatcher.now, requested: dispatcher.now.advanced(by: .seconds(-1)))
    ) { try dispatcher.advanceTime(by: .seconds(-1)) }
    group.leave()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("of a wait is equal to one of its own case and values alone")
  func waits() {
    let link = WaitLink(waiter: "a", waiterQueue: nil, waitsFor: "b")
    let all: [WaitRefusal] = [
      .wouldDeadlock(chain: []), .wouldDeadlock(chain: [link]), .cannotBeOrdered(chain: [link]),
      .nothingCanEndIt("a"), .nothingCanEndIt("b"), .timedOut, .refused(.shutDown),
      .refused(.limitReached),
    ]
    for (number, error) in all.enumerated() {
      for (other, otherError) in all.enumerated() {
        #expect((error == otherError) == (number == other))
      }
    }
  }

  @Test("of a step is equal to one of its own case and values alone")
  func steps() throws {
    dispatcher.background.async(label: "a") {}
    dispatcher.background.async(label: "b") {}
    let pending = dispatcher.pendingTasks
    let (task, other) = (pending[0].task, pending[1].task)
    let (now, later) = (DispatcherInstant.start, DispatcherInstant(nanoseconds: 1))
    struct One: Error {}
    struct Two: Error { let number: Int }
    let all: [StepError] = [
      .nothingQueued("a", elsewhere: [], nextDeadline: nil),
      .nothingQueued("b", elsewhere: [], nextDeadline: nil),
      .nothingQueued("a", elsewhere: pending, nextDeadline: nil),
      .nothingQueued("a", elsewhere: [], nextDeadline: now),
      .nothingRunnable("a", [], nextDeadline: nil),
      .nothingRunnable("a", pending, nextDeadline: nil),
      .notRunnable(pending[0]), .notRunnable(pending[1]),
      .unknownLabel("a", nearMisses: [], pending: []),
      .unknownLabel("a", nearMisses: ["b"], pending: []),
      .unknownLabel("a", nearMisses: [], pending: pending),
      .unknownLabel("a", nearMisses: [], pending: [], hasRun: task),
      .ambiguousLabel("a", []), .ambiguousLabel("a", pending),
      .unknownTask(task.id, pending: []), .unknownTask(other.id, pending: []),
      .stepLimitReached(limit: 1, recurring: []), .stepLimitReached(limit: 2, recurring: []),
      .reentrantStep("a", running: nil), .reentrantStep("a", running: task),
      .timeBackwards(now: now, requested: later), .timeBackwards(now: later, requested: now),
      .taskThrew(task, One()), .taskThrew(other, One()), .taskThrew(task, Two(number: 1)),
      .taskThrew(task, Two(number: 2)),
      .conditionNotMet(pending: [], nextDeadline: nil),
      .conditionNotMet(pending: pending, nextDeadline: nil),
      .escaped("a", pending: [], nextDeadline: nil), .escaped("b", pending: [], nextDeadline: nil),
      .notEnded("a", pending: [], nextDeadline: nil),
      .notEnded("a", pending: [], nextDeadline: now),
      .noRegistration("a", registered: []), .noRegistration("a", registered: ["b"]),
    ]
    for (number, error) in all.enumerated() {
      for (other, otherError) in all.enumerated() {
        #expect((error == otherError) == (number == other), "\(error), \(otherError)")
      }
    }
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }
}
