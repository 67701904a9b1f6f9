import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("Room in a queue of the fake")
struct KeptRoomTests {
  private let dispatcher = RecordingDispatcher(
    .init(overflow: .blockCaller(limit: 1, timeout: nil)))

  @Test("is kept for the call that waits for it, also while a body runs on top of the call")
  func kept() throws {
    let queue = dispatcher.makeQueue(label: "narrow", width: 1)
    let (inner, outer) = (Box<Admission?>(nil), Box<Admission?>(nil))
    queue { inner.value = queue {} }
    dispatcher.foreground { outer.value = queue {} }

    try dispatcher.runNextForegroundTask()

    #expect(outer.value == .accepted)
    #expect(inner.value == .refused(.wouldDeadlock))
    try dispatcher.runUntilIdle()
    #expect(dispatcher.ledger.completed == 3)
    try dispatcher.finish()
  }

  @Test("is given to a call before a body that submits itself again and again")
  func noStarvation() throws {
    let queue = dispatcher.makeQueue(label: "wide", width: 2)
    let (again, isOver) = (Box(0), Box(false))
    @Sendable func submitAgain() {
      again.increment()
      if !isOver.value { queue { submitAgain() } }
    }
    queue { submitAgain() }
    let answer = Box<Admission?>(nil)
    dispatcher.foreground {
      answer.value = queue {}
      isOver.value = true
    }

    try dispatcher.runNextForegroundTask()

    #expect(answer.value == .accepted)
    #expect(again.value < 10)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("that a refused call has got is room for others")
  func passedOn() throws {
    let queue = dispatcher.makeQueue(
      QueueOptions(
        label: "brief", width: 1, overflow: .blockCaller(limit: 1, timeout: .milliseconds(1))))
    queue.suspend()
    queue {}
    #expect(queue {} == .refused(.noRoomInTime))
    queue.resume()
    try dispatcher.runUntilIdle()

    #expect(queue {} == .accepted)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }
}
