import TaskDispatch
import Testing

@testable import UVDispatch

/// Waits for tasks and groups.
extension DeadlockSearchTests {
  @Test("takes a wait for a task that has not started for a circle only if nothing else goes on")
  func queuedTask() {
    let bare = BareCore()
    let item = bare.item(on: .background, bare.view)
    bare.core.put(item)
    let thread = bare.blocked(on: .item(item), bare.view)

    #expect(isLive(thread, in: bare))
    #expect(!isLive(thread, in: bare, circlesOnly: false))
    _ = bare.core.releaseEverything()
  }

  @Test("takes the run of a callback, which has no share of the pool, for no way to a worker")
  func runOfACallback() {
    let bare = BareCore(threads: 2)
    let task = bare.started()
    let item = bare.item(on: .background, bare.view)
    bare.core.put(item)
    let thread = bare.block(task, on: .item(item))
    let suspended = bare.otherView()
    suspended.pool.queue.suspend()
    let callback = bare.core.blocked.begin(
      .admission(bare.caller(on: suspended)),
      BlockedThreads.Waiter(
        task: nil, isLoop: false, isWorker: true, deliveries: 1, mayTimeOut: false, isTelling: true)
    ).thread

    #expect(!isLive(thread, in: bare, circlesOnly: false))
    #expect(callback.isLive)
    _ = bare.core.releaseEverything()
  }

  @Test("finds two bodies that wait for each other's end at once")
  func bodies() {
    let bare = BareCore(width: 3)
    let items = (0..<2).map { _ in bare.item() }
    var threads: [BlockedThread] = []
    for number in 0..<2 {
      let task = bare.core.task(for: items[number])
      bare.core.begin(task)
      threads.append(bare.block(task, on: .item(items[1 - number])))
    }

    #expect(!isLive(threads[0], in: bare))
    #expect(!isLive(threads[1], in: bare))
    for item in items { bare.core.forget(item) }
  }

  @Test("finds a wait for a group of which a task stands behind the body that waits")
  func members() {
    let bare = BareCore()
    bare.core.loopThread.claim()
    bare.core.put(bare.item(on: .foreground, group: group))
    let thread = bare.blocked(on: .group(group), on: .foreground, isWorker: false, isLoop: true)

    #expect(!isLive(thread, in: bare, circlesOnly: false))
    group.enter()
    #expect(isLive(thread, in: bare, circlesOnly: false))
    group.leave()
    _ = bare.core.releaseEverything()
  }

  @Test("counts a timer of the group as long as the loop can come to it")
  func timer() {
    let bare = BareCore()
    bare.core.loopThread.claim()
    let item = bare.item(
      .timer, on: .foreground, due: DispatcherInstant(nanoseconds: 1), group: group)
    bare.core.put(item)
    let worker = bare.blocked(on: .group(group), on: .background)
    #expect(isLive(worker, in: bare, circlesOnly: false))

    let loop = bare.blocked(on: .group(group), on: .foreground, isWorker: false, isLoop: true)
    #expect(!isLive(loop, in: bare, circlesOnly: false))
    #expect(!isLive(worker, in: bare, circlesOnly: false))
    _ = bare.core.releaseEverything()
  }
}
