import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("An actor on a queue of the fake")
struct ActorTests {
  private let dispatcher = RecordingDispatcher()

  @Test("runs its methods as tasks of the queue", arguments: [true, false])
  func athome(onForeground: Bool) throws {
    let view = dispatcher.makeQueue(label: "home", width: 1)
    let home = onForeground ? dispatcher.foreground : view
    let resident = Resident(on: home)

    let isAtHome = try dispatcher.runAsync { await resident.isAtHome }

    #expect(isAtHome)
    #expect(!dispatcher.ran(on: home).isEmpty)
    try dispatcher.finish()
  }

  @Test(
    "has one job in it at a time, in their order, once the fake is finished or gone",
    arguments: [true, false], [true, false])
  func afterTheEnd(onForeground: Bool, isGone: Bool) async throws {
    let house = House()
    var tasks: [Task<Void, Never>] = []
    do {
      let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
      let view = dispatcher.makeQueue(label: "home", width: 1)
      let home = onForeground ? dispatcher.foreground : view
      let lodger = Lodger(in: house, on: dispatcher.serialExecutor(for: home))
      for number in 0..<300 {
        if onForeground, number % 2 == 1 {
          // The Task waits in the same queue as the jobs of the actor.
          tasks.append(Task(executorPreference: home.executor) { house.enter(number) })
        } else {
          let executor = dispatcher.background.executor
          tasks.append(Task(executorPreference: executor) { await lodger.stay(number) })
          // Runs the Task as far as its call of the actor, whose jobs no step runs.
          try dispatcher.runNextTask(on: dispatcher.background)
        }
      }
      if !isGone { try dispatcher.finish() }
    }

    for task in tasks { await task.value }

    #expect(house.log.all == (0..<300).map(String.init))
    #expect(house.most == 1)
  }

  /// Notes each call that comes in, and how many are inside at a time.
  private final class House: Sendable {
    let log = Log()
    private let inside = Atomic(0)
    private let mostInside = Atomic(0)
    var most: Int { mostInside.load(ordering: .relaxed) }

    func enter(_ number: Int) {
      let count = inside.add(1, ordering: .relaxed).newValue
      mostInside.max(count, ordering: .relaxed)
      log.note("\(number)")
      // Long enough for a second call to come in, if it could.
      for _ in 0..<10_000 { _ = inside.load(ordering: .relaxed) }
      inside.subtract(1, ordering: .relaxed)
    }
  }

  private actor Lodger {
    private let house: House
    private let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()
    }

    init(in house: House, on executor: any SerialExecutor) {
      (self.house, self.executor) = (house, executor)
    }

    func stay(_ number: Int) { house.enter(number) }
  }

  @Test("stands in line with the tasks of the foreground")
  func inLine() throws {
    let log = Log()
    let dispatcher = dispatcher
    let resident = Resident(on: dispatcher.foreground)
    Task(executorPreference: dispatcher.background.executor) { await resident.note("hello") }
    dispatcher.foreground.async(label: "before") { log.note("before") }
    try dispatcher.runNextBackgroundTask()
    dispatcher.foreground.async(label: "after") { log.note("after") }

    #expect(dispatcher.pendingTasks.labels == ["before", nil, "after"])
    try dispatcher.runNextForegroundTask()
    #expect(log.all == ["before"])
    try dispatcher.runNextForegroundTask()
    #expect(log.all == ["before"], "the actor has run, and nothing else")
    try dispatcher.runUntilIdle()

    #expect(log.all == ["before", "after"])
    try dispatcher.finish()
  }

  @Test("may be touched at once by a body of its queue, which is isolated to it")
  func assumesIsolation() throws {
    let notes = Slot<[String]>()
    let resident = Resident(on: dispatcher.foreground)
    dispatcher.foreground {
      resident.preconditionIsolated()
      notes.value = resident.assumeIsolated { resident in
        resident.note("at once")
        return resident.notes
      }
    }

    try dispatcher.runUntilIdle()

    #expect(notes.value == ["at once"])
    try dispatcher.finish()
  }

  @Test("traps if a body of another queue claims to be isolated to it")
  func elsewhere() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let dispatcher = RecordingDispatcher()
      let resident = Resident(on: dispatcher.foreground)
      dispatcher.background { resident.preconditionIsolated() }
      try dispatcher.runUntilIdle()
    }
    #expect(result?.standardErrorContent.isEmpty == false)
  }

  @Test("is entered by another call while one of its methods waits")
  func reentrance() throws {
    let dispatcher = dispatcher
    let host = Host(on: dispatcher.foreground)
    let notes = try dispatcher.runAsync(movingTime: true) {
      async let slow: Void = host.serve("slow", for: .seconds(2))
      async let fast: Void = host.serve("fast", for: .seconds(1))
      _ = try await (slow, fast)
      return await host.notes
    }

    #expect(notes == ["slow begins", "fast begins", "fast ends", "slow ends"])
    try dispatcher.finish()
  }

  @Test("keeps its state, whichever of many Tasks calls it, and each call is whole")
  func manyCallers() throws {
    let dispatcher = dispatcher
    let resident = Resident(on: dispatcher.foreground)
    let notes = try dispatcher.runAsync {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask(executorPreference: dispatcher.background.executor) {
            await resident.note("\(number)")
          }
        }
      }
      return await resident.notes
    }

    #expect(Set(notes) == Set((0..<20).map(String.init)))
    #expect(notes.count == 20)
    try dispatcher.finish()
  }

  @Test("calls the next, each on a queue of its own")
  func fromActorToActor() throws {
    let dispatcher = dispatcher
    let first = Resident(on: dispatcher.foreground)
    let second = Resident(on: dispatcher.makeQueue(label: "second", width: 1))

    let homes = try dispatcher.runAsync { [await first.isAtHome, await second.isAtHome] }

    #expect(homes == [true, true])
    #expect(dispatcher.history.contains { $0.task.queue == "second" })
    try dispatcher.finish()
  }

  @Test("needs a queue that runs one task at a time", arguments: 0..<3)
  func wideQueue(place: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [place] in
      let dispatcher = RecordingDispatcher()
      let queue = [
        dispatcher.background, dispatcher.makeQueue(label: "wide", width: 2),
        dispatcher.makeQueue(label: "one", width: 1).barrier,
      ][place]
      _ = unsafe queue.unownedExecutor
    }
    #expect(result?.said("an actor needs a queue that runs one task at a time") == true)
  }

  /// An actor whose methods suspend in the middle.
  private actor Host {
    private let queue: TaskQueue
    private(set) var notes: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(on queue: TaskQueue) {
      self.queue = queue
    }

    func serve(_ name: String, for duration: Duration) async throws {
      notes.append("\(name) begins")
      try await queue.dispatcher.clock.sleep(for: duration)
      notes.append("\(name) ends")
    }
  }
}
