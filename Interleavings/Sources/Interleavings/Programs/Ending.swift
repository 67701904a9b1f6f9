import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Shutdowns and timers.
  static let ending: [Program] = [
    Program("shutdown", "a shutdown, and posts to both lanes", threads: 3, calls: 4) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      for (name, queue) in [("loop", dispatcher.foreground), ("pool", dispatcher.background)] {
        let body = scene.body(name)
        scene.thread(name) { scene.expect(name, queue(body)) }
      }
      dispatcher.beginShutdown(ShutdownPolicy())
      scene.simulation.quiesce()
      scene.check(dispatcher.report != nil, "the shutdown has no report")
    },
    Program("silent shutdown", "as that, and no thread asks for the report", threads: 2, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let body = scene.body("loop")
      scene.thread("poster") { scene.expect("loop", dispatcher.foreground(body)) }
      dispatcher.beginShutdown(ShutdownPolicy())
      scene.endsAlone()
    },
    Program("silent end", "a loop that ends, and a post that wakes it", threads: 3, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      for (name, queue) in [("loop", dispatcher.foreground), ("pool", dispatcher.background)] {
        let body = scene.body(name)
        scene.thread(name) { scene.expect(name, queue(body)) }
      }
      scene.thread("ender") { dispatcher.beginShutdown(ShutdownPolicy()) }
      scene.endsAlone()
    },
    Program("closing", "a shutdown that ends, and posts", threads: 3, calls: 3) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      dispatcher.beginShutdown(ShutdownPolicy())
      for (name, queue) in [("loop", dispatcher.foreground), ("pool", dispatcher.background)] {
        let body = scene.body(name)
        scene.thread(name) { scene.expect(name, queue(body)) }
      }
    },
    Program("shutdown and sync", "a shutdown, and a sync", threads: 2, calls: 3) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let body = scene.body("sync")
      scene.thread("caller") {
        do {
          try dispatcher.background.sync(body)
          scene.expect("sync", .accepted)
        } catch { scene.expect("sync", .refused(.shutDown)) }
      }
      dispatcher.beginShutdown(ShutdownPolicy())
    },
    Program("timer", "a timer is set, and the loop goes to sleep", threads: 2, calls: 3) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let (timer, post) = (scene.body("timer"), scene.body("post"))
      scene.thread("poster") { dispatcher.foreground(post) }
      dispatcher.foreground.after(.milliseconds(5), timer)
      scene.sleep(.milliseconds(50))
    },
    Program("timer alone", "a timer is set while the loop sleeps", threads: 2, calls: 2) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let timer = scene.body("timer")
      scene.thread("setter") { dispatcher.foreground.after(.milliseconds(5), timer) }
      scene.sleep(.milliseconds(50))
    },
    Program(
      "two timers", "an earlier timer is set while the loop sleeps for one", threads: 2, calls: 3
    ) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let (early, late) = (scene.body("early"), scene.body("late"))
      dispatcher.foreground.after(.milliseconds(30), late)
      scene.thread("setter") { dispatcher.foreground.after(.milliseconds(5), early) }
      scene.sleep(.milliseconds(15))
      scene.check(scene.ran("early") == 1 && scene.ran("late") == 0, "the timers are out of order")
      scene.sleep(.milliseconds(50))
    },
    Program("deadline", "a body that outlasts a shutdown, and its end", threads: 2, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let gate = Gate()
      dispatcher.background(scene.body("long") { gate.wait() })
      dispatcher.beginShutdown(
        ShutdownPolicy(drain: .milliseconds(5), cancel: .milliseconds(5)))
      scene.sleep(.milliseconds(50))
      scene.check(dispatcher.report != nil, "the report does not come at the deadline")
      scene.thread("opener") { gate.open() }
    },
    Program(
      "job and shutdown", "a job of the loop, and a shutdown: a late job", threads: 2, calls: 3
    ) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let body = scene.body("job")
      scene.thread("maker") { Task(executorPreference: dispatcher.foreground.executor) { body() } }
      dispatcher.beginShutdown(ShutdownPolicy())
    },
    Program("timer and shutdown", "a timer, and the end of the loop", threads: 2, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let body = scene.body("timer")
      scene.leaveOpen("timer")
      scene.thread("setter") {
        let handle = dispatcher.foreground.after(.milliseconds(5)) { body() }
        scene.simulation.quiesce()
        scene.expect("timer", handle.outcomeIfFinished)
      }
      dispatcher.beginShutdown(ShutdownPolicy())
    },
    Program("until idle", "a loop that ends when it is idle, and posts", threads: 2, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher()
      let (back, post) = (scene.body("back"), scene.body("post"))
      scene.thread("poster") { dispatcher.background(post) }
      dispatcher.background(scene.body("there") { dispatcher.foreground(back) })
      dispatcher.runUntilIdle(servesMainQueue: false)
      scene.check(scene.ran("back") == 1, "the loop has ended before the body that a worker posts")
    },
    Program(
      "until told", "a loop that ends when it is idle, and a callback", threads: 2, calls: 4
    ) { scene in
      let dispatcher = scene.dispatcher()
      let (group, isReady, gate) = (WorkGroup(), Gate(), Gate())
      dispatcher.background.async(group: group, scene.body("member") { isReady.wait() })
      group.whenEmpty(scene.body("callback") { gate.wait() })
      isReady.open()
      scene.thread("opener") {
        scene.simulation.quiesce()
        gate.open()
      }
      dispatcher.runUntilIdle(servesMainQueue: false)
      scene.check(scene.ran("callback") == 1, "the loop has ended before a callback")
    },
    Program(
      "end and callback", "a callback that outlasts a shutdown, and the end of the loop",
      threads: 2, calls: 4
    ) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let (group, isReady, gate) = (WorkGroup(), Gate(), Gate())
      dispatcher.background.async(group: group, scene.body("member") { isReady.wait() })
      group.whenEmpty(scene.body("callback") { gate.wait() })
      dispatcher.beginShutdown(
        ShutdownPolicy(drain: .milliseconds(5), cancel: .milliseconds(5)))
      isReady.open()
      scene.sleep(.milliseconds(200))
      scene.check(dispatcher.report != nil, "the report does not come at the deadline")
      scene.check(!scene.simulation.isAlive("uv"), "a callback keeps the loop from its end")
      scene.thread("opener") { gate.open() }
    },
  ]
}
