import Foundation
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

@Suite("A worker that runs another task while it waits")
struct HelpedDeadlockTests {
  @Test(
    "is no way out for what waits for its sync, which is admitted but cannot begin before",
    arguments: ["the loop", "a task"])
  func grantedBehindHelp(waitsFor target: String) async {
    // A process of its own: a failure here keeps a thread of the pool for ever, and `exit` would wait for that
    // thread.
    await #expect(processExitsWith: .success) { [target] in
      blocking {
        let dispatcher = try? UVDispatcher(.init(backgroundWidth: 1))
        guard let dispatcher, (try? dispatcher.start()) != nil else { _exit(3) }
        let view = dispatcher.makeQueue(label: "view", width: 2)
        let refused = Box(0)
        let helps = Latch()
        let ended = Latch(2)
        dispatcher.foreground {
          guard helps.wait(patience) else { _exit(4) }
          // The barrier stands behind the task that the worker runs, and behind the worker's own `sync`.
          do { try view.barrier.sync {} } catch { refused.increment() }
          ended.open()
        }
        dispatcher.background {
          view {
            helps.open()
            do {
              if target == "the loop" {
                try dispatcher.foreground.sync {}
              } else {
                // The only worker runs this body while it waits.
                try dispatcher.background.submit {}.wait()
              }
            } catch { refused.increment() }
          }
          do { try view.sync {} } catch { refused.increment() }
          ended.open()
        }

        guard ended.wait(patience) else { _exit(5) }
        // The wait for a task that only this worker could run can never end. So it is refused too if another
        // wait was refused first.
        guard (1...(target == "the loop" ? 1 : 2)).contains(refused.value) else { _exit(6) }
        // Not by `exit`: the dispatcher is alive, and the leak checker does not find what Swift keeps for its
        // weak references.
        _exit(0)
      }
    }
  }
}
