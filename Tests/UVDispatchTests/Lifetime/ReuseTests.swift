import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

/// ``RunningTasksTests`` says which objects are kept.
@Suite("The object of a task that has ended")
struct ReuseTests {
  @Test("becomes the next one, and nothing tells that from a new object")
  func renewed() {
    let (used, fresh) = (BareCore(), BareCore())
    func another(_ bare: BareCore) -> QueuedTask {
      bare.core.makeTask(
        .plain {}, id: 1, on: .foreground, nil, isBarrier: false,
        site: CallSite(fileID: "File.swift", line: 1), parent: nil, at: 9)
    }
    useUp(used)

    let renewed = another(used)

    #expect(used.core.running.freeTasks.count == 0)
    #expect(story(of: renewed) == story(of: another(fresh)))
  }

  /// A time to live makes an object of a task. If any code still refers to it at the end, it is not kept, and the next task
  /// allocates one.
  @Test("is kept, wherever it has run", arguments: [Lane.foreground, .background])
  func kept(lane: Lane) throws {
    let dispatcher = try UVDispatcher()
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    queue.async(timeToLive: .seconds(3600)) {}

    dispatcher.runUntilIdle()

    #expect(dispatcher.engine.withCore { $0.running.freeTasks.count } == 1)
  }

  /// Takes a task object through everything that may happen to one, and gives it back for reuse.
  private func useUp(_ bare: BareCore) {
    let item = WorkItem.make(
      kind: .task, queue: TaskQueue(dispatcher: RecordingDispatcher(), lane: .background),
      label: "used", site: .here()
    ) {}
    let task = bare.core.makeTask(
      .item(item), id: 4, on: .background, bare.view, isBarrier: true, site: .here(), parent: 7,
      at: 5)
    task.cameDueAt = 6
    task.startedAt = 7
    task.isWatched = true
    task.position = 9
    task.runningIndex = 10
    task.runner = .caller
    task.ranAsBarrier = true
    task.isAdmitted = true
    task.hasRun = true
    task.isRejected = true
    task.isExempt = true
    task.isAbandoned = true
    task.beginWait(for: bare.task())
    _ = task.release()
    bare.core.reuse(consume task)
    #expect(bare.core.running.freeTasks.count == 1)
  }

  /// Every stored property, those of the superclasses included.
  private func story(of task: QueuedTask) -> [String] {
    var lines: [String] = []
    var mirror: Mirror? = Mirror(reflecting: task)
    while let level = mirror {
      // The flag of its dispatcher's shutdown differs between two dispatchers.
      for (name, value) in level.children where name != "shutdown" {
        lines.append("\(name, default: "") = \(value)")
      }
      mirror = level.superclassMirror
    }
    #expect(lines.count > 20)
    return lines
  }
}
