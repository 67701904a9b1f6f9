import TaskDispatch
import Testing

@testable import UVDispatch

/// Plain bodies get task objects where code must be able to name them.
@Suite("A plain body that is made a task")
struct MaterialisingTests {
  private let bare = BareCore()
  private var core: Core { bare.core }

  private var tasks: [QueuedTask] {
    var tasks: [QueuedTask] = []
    core.forEachReady { tasks.append($0) }
    return tasks
  }

  @Test("may come from the inbox", arguments: Lane.allCases)
  func fromInbox(lane: Lane) {
    bare.post(on: lane)
    #expect(tasks.isEmpty)

    core.materialisePlainTasks()

    #expect(tasks.count == 1)
    #expect(core.accounts.ledger.waiting == 1)
  }

  @Test("can be taken out of its queue from between others", arguments: Lane.allCases)
  func takenBack(lane: Lane) {
    for _ in 0..<3 { bare.post(on: lane) }
    core.materialisePlainTasks()
    let all = tasks

    #expect(core.takeBack(all[1]))

    #expect(tasks.map(\.id) == [all[0].id, all[2].id])
    #expect(!core.takeBack(all[1]))
  }

  @Test("stands between the tasks that came before it and after it", arguments: Lane.allCases)
  func order(lane: Lane) {
    let first = bare.queued(on: lane)
    bare.post(on: lane)
    let last = bare.queued(on: lane)

    core.materialisePlainTasks()

    let orders = tasks.map(\.order)
    #expect(orders.count == 3)
    #expect(orders == orders.sorted())
    #expect(tasks.first === first)
    #expect(tasks.last === last)
  }
}
