import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("An idle dispatcher")
  struct QuietTests {
    @Test("wakes no thread for a second, whatever stands in it")
    func idle() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          // A sanitizer has threads of its own, which do not sleep.
          guard !ThisProcess.isSanitized else { return }
          let others = ThisProcess.threadIDs
          // One dispatcher that never ran, one that ran and is idle, and one that has ended.
          let fresh = try UVDispatcher()
          let used = try UVDispatcher()
          try exercise(used)
          used.runUntilIdle()
          let ended = try UVDispatcher()
          ended.beginShutdown()
          ended.run()
          // Its loop runs, and has had every kind of work.
          let running = try UVDispatcher()
          try running.start()
          try exercise(running)
          // While there are bodies, its watchdog looks for those that hold their thread.
          let watched = try UVDispatcher(.init(observer: Blind()))
          try watched.start()
          try exercise(watched)
          watched.waitUntil { $0.stalls.isParked }
          // Work that waits for a time, for a group, for a `resume()` and for a Task.
          let waiting = try UVDispatcher()
          try waiting.start()
          try exercise(waiting)
          waiting.foreground.after(.seconds(3600)) {}
          waiting.foreground.every(.seconds(3600)) {}
          let view = waiting.makeQueue(label: "held", width: 1)
          view.suspend()
          view {}
          let group = WorkGroup()
          group.enter()
          group.notify(on: waiting.foreground) {}
          // On the dispatcher's own queue: Swift's threads do not belong to it, and go to sleep when they like.
          Task(executorPreference: waiting.foreground.executor) {
            try await waiting.clock.sleep(for: .seconds(3600))
          }
          // A shutdown that waits for a body, with its deadlines far away.
          let ending = try UVDispatcher()
          try ending.start()
          let (started, gate) = (Latch(), Latch())
          ending.background {
            started.open()
            gate.hold(patience)
          }
          started.hold(patience)
          ending.beginShutdown(.init(drain: .seconds(3600), cancel: .seconds(3600)))
          for dispatcher in [running, watched, waiting, ending] {
            dispatcher.waitUntil {
              $0.loopThread.isClaimed && $0.loop.mustBeTold && !$0.isDelivering
            }
          }

          let woken = switchesInASecond(apartFrom: others)

          #expect(woken.isEmpty, "context switches by thread: \(woken)")
          gate.open()
          withExtendedLifetime((fresh, used, ended)) {}
        }
      }
    }

    @Test("with threads that wait for it lets them sleep")
    func waiters() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          // A sanitizer has threads of its own, which do not sleep.
          guard !ThisProcess.isSanitized else { return }
          let others = ThisProcess.threadIDs
          let dispatcher = try UVDispatcher()
          let view = dispatcher.makeQueue(label: "narrow", width: 1)
          let (started, gate) = (Latch(), Latch())
          let handle = view.submit {
            started.open()
            gate.hold(patience)
          }
          #expect(started.wait(patience))
          try dispatcher.start()
          let threads =
            (0..<2).map { _ in OtherThread { _ = try? handle.wait() } }
            + (0..<2).map { _ in OtherThread { try? view.sync {} } }
            + (0..<2).map { _ in OtherThread { _ = try? handle.wait(timeout: .seconds(3600)) } }
          dispatcher.waitUntil { $0.accounts.ledger.accepted == 3 }

          let woken = switchesInASecond(apartFrom: others)

          #expect(woken.isEmpty, "context switches by thread: \(woken)")
          gate.open()
          for thread in threads { #expect(thread.join()) }
        }
      }
    }
  }
}

private struct Blind: TaskObserver {
  func observe(_ event: TaskEvent) {}
}

/// Gives `dispatcher` some work of every kind, and lets all of it end.
private func exercise(_ dispatcher: UVDispatcher) throws {
  let view = dispatcher.makeQueue(label: "view", width: 2)
  for queue in [dispatcher.foreground, dispatcher.background, view, view.barrier] {
    for _ in 0..<100 { queue {} }
    queue.after(.milliseconds(1)) {}
    queue.submit {}.cancel()
  }
  Task(executorPreference: dispatcher.background.executor) { await dispatcher.foreground.flush() }
  if dispatcher.engine.withCore({ $0.loopThread.isClaimed }) {
    dispatcher.waitUntil { $0.isIdle && $0.accounts.ledger.waiting == 0 }
  }
}

/// How often each thread was switched in a second in which nothing happens. The threads of the test library are
/// `others`, and are left out.
private func switchesInASecond(apartFrom others: Set<String>) -> [String: Int] {
  // Threads that have just done their work may still be on their way to sleep.
  var before = ThisProcess.contextSwitchesOfOthers
  var calm = 0
  for _ in 0..<10_000 where calm < 50 {
    let again = ThisProcess.contextSwitchesOfOthers
    calm = ThisProcess.isAsleep(apartFrom: others) && again == before ? calm + 1 : 0
    before = again
  }
  // The measurement itself needs this wait.
  _ = Latch().wait(.seconds(1))
  let after = ThisProcess.contextSwitchesOfOthers
  return after.merging(before) { $0 - $1 }.filter {
    before[$0.key] != nil && $0.value > 0 && !others.contains($0.key)
  }
}
