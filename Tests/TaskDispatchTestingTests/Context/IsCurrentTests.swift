import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("Where code runs")
struct IsCurrentTests {
  private let dispatcher = RecordingDispatcher()

  @Test("is its own queue, its barrier included, and no other", arguments: 0..<4)
  func own(place: Int) throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 2)
    let other = dispatcher.makeQueue(label: "disk", width: 2)
    let queues = [dispatcher.foreground, dispatcher.background, disk, other]
    let seen = Slot<[Bool]>()
    let queue = queues[place]
    queue {
      seen.value = queues.map(\.isCurrent) + [queue.barrier.isCurrent]
    }

    try dispatcher.runUntilIdle()

    #expect(seen.value == (0..<4).map { $0 == place } + [true])
    try dispatcher.finish()
  }

  @Test("is the foreground for the test between two steps, and no view")
  func test() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)

    #expect(dispatcher.isForeground)
    #expect(dispatcher.foreground.isCurrent)
    #expect(!dispatcher.background.isCurrent)
    #expect(!disk.isCurrent)
    dispatcher.preconditionForeground()
    try dispatcher.finish()
  }

  @Test("is not the foreground for another thread while a background task runs")
  func otherThread() throws {
    let seen = Slot<[Bool]>()
    let dispatcher = dispatcher
    dispatcher.background {
      onAnotherThread { seen.value = [dispatcher.isForeground, dispatcher.background.isCurrent] }
    }

    try dispatcher.runUntilIdle()

    #expect(seen.value == [false, false])
    try dispatcher.finish()
  }

  @Test(
    "is not the foreground in a background body, whatever the policy", arguments: [true, false])
  func inlineBackground(isInline: Bool) throws {
    let dispatcher = RecordingDispatcher(.init(policy: isInline ? .inline : .automatic))
    let seen = Slot<[Bool]>()

    dispatcher.background {
      seen.value = [dispatcher.isForeground, dispatcher.background.isCurrent]
    }

    #expect(seen.value == [false, true])
    try dispatcher.finish()
  }

  @Test("does not change inside hooks: they belong to the body, or to the submitting code")
  func hooks() throws {
    let log = Log()
    dispatcher.onEnter = { [weak dispatcher] _ in
      log.note("enter \(dispatcher!.background.isCurrent)")
    }
    dispatcher.onExit = { [weak dispatcher] _ in
      log.note("exit \(dispatcher!.background.isCurrent)")
    }
    dispatcher.background {}

    try dispatcher.runUntilIdle()

    #expect(log.all == ["enter true", "exit true"])
    try dispatcher.finish()
  }

  @Test("is not a queue of another dispatcher with the same label")
  func otherDispatcher() throws {
    let other = RecordingDispatcher()
    let seen = Slot<[Bool]>()
    let mine = dispatcher.makeQueue(label: "disk", width: 1)
    let theirs = other.makeQueue(label: "disk", width: 1)
    mine { seen.value = [mine.isCurrent, theirs.isCurrent, other.background.isCurrent] }

    try dispatcher.runUntilIdle()

    #expect(seen.value == [true, false, false])
    try dispatcher.finish()
  }

  @Test("traps where it is said to be another queue, and names both")
  func precondition() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let dispatcher = RecordingDispatcher()
      let disk = dispatcher.makeQueue(label: "disk", width: 1)
      disk.async(label: "task") { dispatcher.preconditionForeground() }
      try dispatcher.runUntilIdle()
    }
    #expect(result?.said("must run on foreground, and runs on disk (in \"task\")") == true)
  }

  @Test("asks whether it is the queue itself, not one of the same name")
  func equality() {
    let one = dispatcher.makeQueue(label: "disk", width: 1)
    let two = dispatcher.makeQueue(label: "disk", width: 1)

    #expect(one == one)
    #expect(one != two)
    #expect(one != one.barrier)
    #expect(one.identity == one.barrier.identity)
    #expect(one != dispatcher.background)
  }
}
