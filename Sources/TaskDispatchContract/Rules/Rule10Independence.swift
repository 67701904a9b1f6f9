internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 10. The background does not need the loop. The foreground and the timers do.
  static let independence: [Rule] = [
    Rule(10, "background work starts before the loop runs, and foreground work does not") { scene in
      let queues = scene.makeQueues().filter { $0.lane == .background }
      let ran = Latch(queues.count * 3)
      scene.foreground { scene.note("foreground") }
      for queue in queues {
        queue { ran.open() }
        queue.submit { ran.open() }
        queue.barrier { ran.open() }
      }

      try scene.reachInBackground(ran, "background work runs without the loop")

      scene.expectNotes([], "the foreground needs the loop")
      try scene.runUntilIdle()
      scene.expectNotes(["foreground"], "the loop runs the foreground")
    },

    Rule(10, "a background body starts what it submits without the loop") { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch()
      scene.background { queue { scene.background { ran.open() } } }

      try scene.reachInBackground(ran, "the chain runs without the loop")
    },

    Rule(10, "jobs and syncs of the background run without the loop") { scene in
      let ran = Latch()
      let queue = scene.makeQueue(1)
      scene.task { ran.open() }

      try scene.reachInBackground(ran, "a Task runs without the loop")
      try queue.sync { scene.note("sync") }

      scene.expectNotes(["sync"], "a sync runs without the loop")
    },

    Rule(10, "background work goes on while the loop is blocked") { scene in
      let queues = scene.makeQueues().filter { $0.lane == .background }
      try scene.perform(on: scene.foreground) {
        for queue in queues {
          let work = queue.submit { scene.note("ran") }
          scene.expectNoThrow("waiting on the foreground for \(queue)") {
            _ = try work.wait(timeout: scene.timeout)
          }
          scene.expectNoThrow("a sync on the foreground with \(queue)") {
            try queue.sync { scene.note("sync") }
          }
        }
      }

      scene.expect("bodies that ran", scene.notes.count, is: queues.count * 2)
    },

    Rule(10, "no timer fires while the loop is blocked") { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(2)
      try scene.perform(on: scene.foreground) {
        for lane in [scene.foreground, queue] {
          lane.after(.milliseconds(1)) {
            scene.note("timer")
            ran.open()
          }
        }
        scene.spend(.milliseconds(4))
        scene.note("blocked")
      }

      try scene.reach(ran, "the timers run")
      scene.expectNotes(["blocked", "timer", "timer"], "the loop has to go on first")
    },
  ]
}
