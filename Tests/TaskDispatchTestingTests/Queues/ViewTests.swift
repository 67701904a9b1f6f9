import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A view of the background")
struct ViewTests {
  @Test("runs its tasks in the order of submission")
  func order() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 2)
    for number in 1...5 { disk.async(label: "\(number)") {} }

    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran(on: disk) == ["1", "2", "3", "4", "5"])
    try dispatcher.finish()
  }

  @Test("starts as many as its width, and no more", arguments: 1...4)
  func width(width: Int) throws {
    let dispatcher = RecordingDispatcher(.init(width: 4))
    let disk = dispatcher.makeQueue(label: "disk", width: width)
    for number in 1...6 { disk.async(label: "\(number)") {} }

    #expect(dispatcher.runnableTasks.count == width)
    guard
      case .notRunnable = stepError({ try dispatcher.runTask(labeled: "\(width + 1)") })
    else { return }
    #expect(try dispatcher.runTask(labeled: "\(width)").label == "\(width)")
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is held to the width of the background")
  func heldToBackground() throws {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    let disk = dispatcher.makeQueue(label: "disk", width: 100)
    for _ in 1...5 { disk {} }

    #expect(dispatcher.runnableTasks.count == 2)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("alternates with the others: a long queue holds no other back")
  func turns() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let long = dispatcher.makeQueue(label: "long", width: 1)
    let short = dispatcher.makeQueue(label: "short", width: 1)
    for number in 1...10 { long.async(label: "long \(number)") {} }
    short.async(label: "short") {}

    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran.firstIndex(of: "short") == 1)
    try dispatcher.finish()
  }

  @Test("costs no width of the others when it is blocked")
  func blocked() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk {}
    dispatcher.background.async(label: "free") {}

    #expect(try dispatcher.runNextBackgroundTask().label == "free")
    disk.resume()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("may share its label with another, and is still another queue")
  func sameLabel() throws {
    let dispatcher = RecordingDispatcher()
    let one = dispatcher.makeQueue(label: "disk", width: 1)
    let two = dispatcher.makeQueue(label: "disk", width: 1)
    let log = Log()
    one { log.note("\(one.isCurrent) \(two.isCurrent)") }

    #expect(one != two)
    #expect(one == one)
    #expect(one != one.barrier)
    try dispatcher.runUntilIdle()
    #expect(log.all == ["true false"])
    try dispatcher.finish()
  }

  @Test("loses no task when its last TaskQueue is let go")
  func letGo() throws {
    let dispatcher = RecordingDispatcher()
    do {
      let disk = dispatcher.makeQueue(label: "disk", width: 1)
      disk.async(label: "first") {}
      disk.async(label: "second") {}
    }

    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["first", "second"])
    try dispatcher.finish()
  }

  @Test("describes itself by its label")
  func describes() {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)

    #expect("\(disk)" == "disk")
    #expect("\(disk.barrier)" == "disk.barrier")
    #expect("\(dispatcher.foreground)" == "foreground")
    #expect("\(dispatcher.background.barrier)" == "background.barrier")
  }
}
