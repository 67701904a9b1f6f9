import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// The main queue, which the loop's thread serves.
  static let mainQueue: [Program] = [
    Program(
      "main queue", "a block of the main queue, a post, and a loop that spins", threads: 3, calls: 4
    ) { scene in
      let dispatcher = scene.dispatcher()
      let (block, post) = (scene.body("block"), scene.body("post"))
      dispatcher.foreground(scene.body("early"))
      scene.thread("poster") { dispatcher.foreground(post) }
      scene.thread("sender") {
        MainQueue.post(block)
        scene.simulation.quiesce()
        scene.check(scene.ran("block") == 1, "a block of the main queue waits, and the loop sleeps")
        dispatcher.beginShutdown(ShutdownPolicy())
      }
      scene.check(dispatcher.run().ledger.balances, "the ledger does not balance")
    },
    Program(
      "main queue and idle", "a block of the main queue, and a loop that ends when it is idle",
      threads: 2, calls: 3
    ) { scene in
      let dispatcher = scene.dispatcher()
      let block = scene.body("block")
      scene.leaveOpen("block")
      scene.thread("sender") { MainQueue.post(block) }
      dispatcher.foreground(scene.body("early"))
      dispatcher.runUntilIdle()
      scene.simulation.quiesce()
      scene.check(
        scene.ran("block") == 1 || MainQueue.isReadable, "a block of the main queue is forgotten")
    },
    Program(
      "main queue and shutdown", "a block of the main queue, and a shutdown", threads: 3, calls: 4
    ) { scene in
      let dispatcher = scene.dispatcher()
      let (block, post) = (scene.body("block"), scene.body("post"))
      scene.leaveOpen("block")
      scene.thread("poster") { scene.expect("post", dispatcher.foreground(post)) }
      scene.thread("sender") {
        MainQueue.post(block)
        dispatcher.beginShutdown(ShutdownPolicy())
      }
      _ = dispatcher.run()
      scene.simulation.quiesce()
      scene.check(
        scene.ran("block") == 1 || MainQueue.isReadable, "a block of the main queue is forgotten")
    },
  ]

  /// Jobs of Swift Tasks.
  static let jobs: [Program] = [
    Program("jobs", "jobs of a serial queue, and a post", threads: 3, calls: 4) { scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      for name in ["left", "right"] {
        let body = scene.body(name)
        scene.thread(name) { Task(executorPreference: queue.executor) { body() } }
      }
      queue(scene.body("post"))
    },
    Program(
      "job that suspends", "a job that waits for a task, and that task's end", threads: 2, calls: 4
    ) { scene in
      let dispatcher = scene.dispatcher()
      let (before, after, task) = (scene.body("before"), scene.body("after"), scene.body("task"))
      let handle = dispatcher.background.submit { task() }
      scene.thread("maker") {
        Task(executorPreference: dispatcher.background.executor) {
          before()
          _ = await handle.outcome
          after()
        }
      }
    },
  ]
}
