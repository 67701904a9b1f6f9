import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// A waiting body keeps its thread of the pool, and the body that it waits for needs another one.
  @Suite("Bodies that wait for others of their own dispatcher")
  struct BlockedRunsTests {
    @Test(
      "go on, although threads are kept for another dispatcher, which is idle", arguments: 3...5)
    func besideAnIdleOne(threads: Int) async {
      await #expect(processExitsWith: .success) { [threads] in
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "\(threads)", 1)
          let idle = try UVDispatcher()
          let busy = try UVDispatcher()
          _ = try idle.background.submit {}.wait()
          let queue = busy.background
          let ended = Latch()
          @Sendable func wait(_ links: Int) {
            if links > 0 { _ = try? queue.submit { wait(links - 1) }.wait() }
          }
          queue {
            // Waits more than once on one thread.
            wait(1)
            wait(busy.effectiveBackgroundWidth - 1)
            ended.open()
          }
          #expect(ended.wait(patience))
        }
      }
    }

    @Test(
      "go on, as many dispatchers as have one",
      arguments: ["a handle", "a group", "a turn behind another task"])
    func several(what: String) async {
      await #expect(processExitsWith: .success) { [what] in
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "4", 1)
          let all = try (0..<3).map { _ in try UVDispatcher() }
          let begun = Latch(3)
          let gate = Latch()
          let ended = Latch(3)
          for dispatcher in all {
            let queue = dispatcher.background
            let view = dispatcher.makeQueue(label: "view", width: 1)
            queue {
              begun.open()
              gate.hold(patience)
              switch what {
              case "a handle": _ = try? queue.submit {}.wait()
              case "a group":
                let group = WorkGroup()
                queue.submit(group: group) {}
                try? group.wait()
              default:
                view {}
                try? view.sync {}
              }
              ended.open()
            }
          }
          #expect(begun.wait(patience))
          gate.open()
          #expect(ended.wait(patience), "\(ended.missing) have not ended")
        }
      }
    }

    @Test(
      "or for a group go on, although another dispatcher has its first member in it later",
      arguments: [
        "by hand", "a task of the same dispatcher", "a task of a third", "a notification",
      ])
    func laterMember(before: String) async {
      await #expect(processExitsWith: .success) { [before] in
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
          let waiting = try UVDispatcher()
          let later = try UVDispatcher()
          let third = try UVDispatcher()
          let group = WorkGroup()
          let ended = Latch()
          let gate = Latch()
          switch before {
          case "by hand": group.enter()
          case "a task of the same dispatcher": waiting.foreground.async(group: group) {}
          case "a notification":
            waiting.foreground.async(group: group) {}
            group.notify(on: later.foreground) {}
          default: third.foreground.async(group: group) {}
          }
          waiting.background {
            try? group.wait()
            ended.open()
          }
          // The thread is blocked in the dispatcher that the group knows, which need not be the thread's own.
          let blocking = before == "a task of a third" ? third : waiting
          blocking.waitUntil { $0.blocked.threads.contains { $0.waitsForAGroup } }
          later.background.async(group: group) { gate.open() }
          #expect(gate.wait(patience))
          if before == "by hand" { group.leave() }
          third.runUntilIdle()
          waiting.runUntilIdle()
          #expect(ended.wait(patience))
        }
      }
    }

    @Test(
      "go on, if a thread outside of all dispatchers waits for a group that only later has a member"
    )
    func outside() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let (body, later, group) = (try HeldThread(), try UVDispatcher(), WorkGroup())
          group.enter()
          let waiter = WatchedThread {
            try? group.wait()
            body.goOn()
          }
          #expect(waiter.waitUntilItSleeps())
          later.background.async(group: group) {}
          group.leave()
          #expect(body.ended.wait(patience))
          #expect(waiter.join())
          later.runUntilIdle()
          body.end()
        }
      }
    }

    @Test("go on, if the last notification of such a group went to a dispatcher that is gone")
    func notifiedOfOneThatIsGone() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let (body, other, group) = (try HeldThread(), try UVDispatcher(), WorkGroup())
          other.background.async(group: group) {}
          group.notify(on: try UVDispatcher().background) {}
          let waiter = WatchedThread {
            try? group.wait()
            body.goOn()
          }
          #expect(body.ended.wait(patience))
          #expect(waiter.join())
          other.runUntilIdle()
          body.end()
        }
      }
    }

    @Test("leave a thread to one that is idle, as long as one of them goes on")
    func oneGoesOn() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "4", 1)
          let idle = try UVDispatcher()
          let busy = try UVDispatcher()
          try idle.useBackground()
          let begun = Latch(2)
          let gate = Latch()
          let blocked = Latch()
          let ran = Latch()
          busy.background {
            begun.open()
            gate.hold(patience)
          }
          busy.background {
            begun.open()
            busy.blockTwice {
              blocked.open()
              gate.hold(patience)
            }
          }
          #expect(begun.wait(patience) && blocked.wait(patience))
          busy.background { ran.open() }
          #expect(busy.engine.withCore { $0.workers.isShort })
          gate.open()
          #expect(ran.wait(patience))
        }
      }
    }

    @Test("leave one to it as well when they go on again")
    func goesOnAgain() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "3", 1)
          let idle = try UVDispatcher()
          let busy = try UVDispatcher()
          try idle.useBackground()
          let goesOn = Latch()
          let gate = Latch()
          let ran = Latch()
          busy.background.waitInABody {
            goesOn.open()
            gate.hold(patience)
          }
          #expect(goesOn.wait(patience))
          busy.waitUntilNoRunLooks(running: 1)
          busy.background { ran.open() }
          #expect(busy.engine.withCore { $0.workers.isShort })
          gate.open()
          #expect(ran.wait(patience))
        }
      }
    }
  }
}

extension UVDispatcher {
  /// Runs a task on the background, and waits until no worker runs a task or looks for one.
  fileprivate func useBackground() throws {
    _ = try background.submit {}.wait()
    waitUntilNoRunLooks(running: 0)
  }

  fileprivate func waitUntilNoRunLooks(running: Int) {
    waitUntil { $0.workers.searching == 0 && $0.running.count == running }
  }

  /// While `body` runs, the calling thread counts as blocked twice: for a wait, and for another on top of it.
  fileprivate func blockTwice(_ body: () -> Void) {
    engine.lock()
    let wait = engine.block(for: .anything, mayTimeOut: true)
    let onTop = engine.block(for: .anything, mayTimeOut: true)
    engine.unlock()
    body()
    engine.lock()
    engine.unblock(onTop)
    engine.unblock(wait)
    engine.unlock()
  }
}

extension TaskQueue {
  /// Submits a task that waits for another task of the queue, and then runs `body`.
  fileprivate func waitInABody(then body: @escaping @Sendable () -> Void) {
    self {
      _ = try? self.submit {}.wait()
      body()
    }
  }
}

/// Holds the only thread that a pool of two has for dispatchers: a body on it waits for a task of another
/// dispatcher.
private struct HeldThread: Sendable {
  let ended = Latch()
  private let dispatcher: UVDispatcher
  private let other: UVDispatcher
  private let view: TaskQueue

  init() throws {
    unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
    dispatcher = try UVDispatcher()
    other = try UVDispatcher()
    view = other.makeQueue(label: "held", width: 1)
    view.suspend()
    let held = view.submit {}
    dispatcher.background { [ended] in
      _ = try? held.wait()
      ended.open()
    }
    other.waitUntilBlocked()
  }

  /// Resumes the view. The body ends once a thread has run the task.
  func goOn() { view.resume() }

  func end() {
    other.runUntilIdle()
    dispatcher.runUntilIdle()
  }
}

extension BlockedThread {
  var waitsForAGroup: Bool {
    if case .group = target { true } else { false }
  }
}
