import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Queues of their own: their inboxes, their shares, and their end.
  static let views: [Program] = [
    Program("views", "posts to two serial queues, and their drains", threads: 3, calls: 5) {
      scene in
      let dispatcher = scene.dispatcher()
      let (one, other) = (
        dispatcher.makeQueue(label: "one", width: 1), dispatcher.makeQueue(label: "other", width: 1)
      )
      let (left, right, plain) = (scene.body("left"), scene.body("right"), scene.body("plain"))
      one(scene.body("early"))
      scene.thread("left") { one(left) }
      scene.thread("right") {
        other(right)
        dispatcher.background(plain)
      }
    },
    Program("view and shutdown", "a post to a serial queue, and a shutdown", threads: 3, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      for name in ["left", "right"] {
        let body = scene.body(name)
        scene.thread(name) { scene.expect(name, queue(body)) }
      }
      dispatcher.beginShutdown(ShutdownPolicy())
      scene.simulation.quiesce()
      scene.check(dispatcher.report != nil, "the shutdown has no report")
    },
    Program(
      "full view and shutdown", "a post to a queue that is full, and a shutdown", threads: 3,
      calls: 5
    ) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let gate = Gate()
      queue(scene.body("first") { gate.wait() })
      queue(scene.body("second"))
      for name in ["left", "right"] {
        let body = scene.body(name)
        scene.thread(name) { scene.expect(name, queue(body)) }
      }
      dispatcher.beginShutdown(ShutdownPolicy())
      gate.open()
      scene.simulation.quiesce()
      scene.check(dispatcher.report != nil, "the shutdown has no report")
    },
    Program(
      "full view gets more", "posts to a queue that is full, and the end of its body", threads: 3,
      calls: 5
    ) { scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let gate = scene.occupy(queue)
      for name in ["left", "right"] {
        let body = scene.body(name)
        scene.thread(name) { queue(body) }
      }
      gate.open()
      queue(scene.body("last"))
    },
    Program(
      "cancelled barrier", "a barrier that is cancelled, and the task behind", threads: 2, calls: 5
    ) { scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "wide", width: 2)
      let gate = scene.occupy(queue)
      let barrier = scene.body("barrier")
      let handle = queue.barrier.submit { barrier() }
      queue(scene.body("behind") { gate.open() })
      scene.thread("canceller") { scene.expect("barrier", handle.cancel()) }
    },
    Program(
      "cancellation told at the end", "a callback of a cancellation submits, and a shutdown",
      threads: 2, calls: 6
    ) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (group, late) = (WorkGroup(), scene.body("late"))
      queue.suspend()
      let handle = queue.submit(group: group) {
        scene.check(false, "a task of a suspended view has run")
      }
      group.whenEmpty(
        scene.body("callback") {
          scene.check(
            dispatcher.foreground(late) == .accepted,
            "a shutdown was over before the end of a task was told")
        })
      scene.thread("canceller") { _ = handle.cancel() }
      dispatcher.beginShutdown(ShutdownPolicy())
    },
  ]
}
