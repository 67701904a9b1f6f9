import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// What the search knows of a worker that has run a task of the view for which it waits, once that task has
  /// ended.
  @Suite("The only worker, when it has run a task of the view in whose sync it stands,")
  struct HelpingTests {
    private let dispatcher: UVDispatcher
    private let ran = Box(0)
    private let refused = Box(0)

    init() throws { dispatcher = try UVDispatcher(.init(backgroundWidth: 1)) }

    private func sync(on view: TaskQueue) {
      do { _ = try view.sync { ran.increment() } } catch { refused.increment() }
    }

    @Test("is a way out for others again")
    func helpsAgain() throws {
      let view = dispatcher.makeQueue(label: "view", width: 1)
      view.suspend()
      view {
        ran.increment()
        // So the worker that runs this task while it waits has to wait on.
        view.suspend()
      }
      for queue in [dispatcher.background, dispatcher.foreground] { queue { sync(on: view) } }
      try dispatcher.start()
      dispatcher.waitUntil { $0.running.count == 2 && $0.running.all.allSatisfy(\.isBlocked) }
      view.resume()
      dispatcher.waitUntil { [ran] core in
        ran.value == 1 && core.running.count == 2 && core.running.all.allSatisfy(\.isBlocked)
      }
      view.async(priority: .high) { ran.increment() }

      view.resume()
      dispatcher.end()

      #expect(ran.value == 4)
      #expect(refused.value == 0)
    }

    @Test("is counted as able to begin the sync that was admitted while it ran that task")
    func admittedWhileHelping() throws {
      let view = dispatcher.makeQueue(label: "view", width: 2)
      let ended = Latch()
      try dispatcher.start()

      dispatcher.background {
        view {
          dispatcher.waitUntil { $0.blocked.admitted == 1 }
          ran.increment()
        }
        sync(on: view)
        ended.open()
      }

      #expect(ended.wait(patience))
      #expect(dispatcher.engine.withCore { $0.blocked.admitted } == 0)
      #expect(ran.value == 2)
      dispatcher.end()
    }

    @Test(
      "helps although another run makes a callback, which finds no share of the pool after that")
    func runOfACallback() throws {
      let (view, group) = (dispatcher.makeQueue(label: "view", width: 2), WorkGroup())
      let (isAwaited, isTelling, mayEnd, ended) = (Latch(), Latch(), Latch(), Latch())
      let wasOpened = Box(false)
      try dispatcher.start()
      dispatcher.background.async(group: group) { isAwaited.hold(patience) }
      group.whenEmpty {
        isTelling.open()
        wasOpened.value = mayEnd.wait(patience)
      }
      isAwaited.open()
      #expect(isTelling.wait(patience))

      view {
        dispatcher.background { ran.increment() }
        sync(on: dispatcher.background)
        ended.open()
      }

      #expect(ended.wait(patience))
      #expect(ran.value == 2)
      mayEnd.open()
      dispatcher.end()
      #expect(wasOpened.value)
    }

    @Test("is told when its view has room for what stands before it, whatever else runs")
    func wokenForRoom() throws {
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (isFull, loopRuns, ended) = (Latch(), Latch(), Latch())
      let (mayEnd, loopMayEnd) = (Latch(), Latch())
      try dispatcher.start()
      let outsider = OtherThread {
        try? view.sync {
          isFull.open()
          mayEnd.hold(patience)
        }
      }
      dispatcher.foreground {
        loopRuns.open()
        loopMayEnd.hold(patience)
      }
      #expect(isFull.wait(patience) && loopRuns.wait(patience))
      view { ran.increment() }
      dispatcher.background {
        sync(on: view)
        ended.open()
      }
      dispatcher.waitUntil { $0.running.all.contains { $0.isBlocked } }

      mayEnd.open()
      #expect(ended.wait(patience))
      #expect(ran.value == 2)

      loopMayEnd.open()
      #expect(outsider.join())
      dispatcher.end()
    }

    @Test("holds back a wait that needs it, and that is not refused while its view may be resumed")
    func needed() throws {
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (isSuspended, loopWaits, hasWaited) = (Latch(), Latch(), Latch())
      view.suspend()
      view {
        view.suspend()
        isSuspended.open()
        loopWaits.hold(patience)
      }
      dispatcher.background { sync(on: view) }
      dispatcher.waitUntil { $0.running.count == 1 && $0.running.all.allSatisfy(\.isBlocked) }
      view.resume()
      #expect(isSuspended.wait(patience))
      dispatcher.foreground {
        // The worker is not free before the view is resumed.
        do { _ = try dispatcher.background.submit {}.wait() } catch WaitRefusal.wouldDeadlock {
          refused.increment()
        } catch { Issue.record(error) }
        hasWaited.open()
      }
      let loop = WatchedThread { dispatcher.run() }
      dispatcher.waitUntil { $0.running.all.contains { $0.lane == .foreground && $0.isBlocked } }
      #expect(loop.waitUntilItSleeps())

      loopWaits.open()

      dispatcher.waitUntil { $0.running.count == 2 && $0.running.all.allSatisfy(\.isBlocked) }
      view.resume()
      #expect(hasWaited.wait(patience))
      #expect(refused.value == 0)
      dispatcher.beginShutdown(.init(drain: patience))
      #expect(loop.join())
      #expect(ran.value == 1)
    }
  }
}
