internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 3, for calls that wait for their place in the order: `sync`, `flush`, `suspend`.
  static let whileWaiting: [Rule] = [
    Rule(3, "sync runs its body in its place, before it returns") { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let ran = Latch()
        try scene.hold {
          queue { scene.note("\(queue) before") }
        }
        try scene.start()
        try queue.sync { scene.note("\(queue) sync") }
        queue {
          scene.note("\(queue) after")
          ran.open()
        }

        try scene.reach(ran, "what stands behind it runs")
        scene.expect(
          "order on \(queue)", scene.notes.suffix(3),
          is: ["\(queue) before", "\(queue) sync", "\(queue) after"])
      }
    },

    Rule(3, "sync waits for everything that stands before it", width: 1) { scene in
      try scene.start()
      for queue in [scene.foreground, scene.background, scene.makeQueue(1)] {
        let ran = Box(0)
        for _ in 0..<20 { queue { ran.increment() } }

        try queue.sync { scene.expect("bodies before the sync on \(queue)", ran.value, is: 20) }
      }
    },

    Rule(3, "sync from a task of another queue stands in line too") { scene in
      let queue = scene.makeQueue(1)
      for outer in [scene.foreground, scene.background, scene.makeQueue(1)] {
        try scene.perform(on: outer) {
          queue { scene.note("before") }
          scene.expectNoThrow("a sync on another queue") { try queue.sync { scene.note("sync") } }
          scene.note("returned")
        }
        try scene.runUntilIdle()

        scene.expect(
          "order, asked by \(outer)", scene.notes.suffix(3), is: ["before", "sync", "returned"])
      }
    },

    Rule(3, "a suspended queue starts nothing, and then goes on in order") { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(3)
      queue.suspend()
      for number in 1...3 {
        queue {
          scene.note("\(number)")
          ran.open()
        }
      }
      try scene.runUntilIdle()
      scene.expectNotes([], "the queue is suspended")

      queue.resume()

      try scene.reach(ran, "all of them run")
      scene.expectNotes(["1", "2", "3"], "the order of submission")
    },

    Rule(3, "a queue that was suspended twice goes on after the second resume()") { scene in
      let queue = scene.makeQueue(2)
      let ran = Latch()
      queue.suspend()
      queue.suspend()
      queue {
        scene.note("ran")
        ran.open()
      }

      queue.resume()
      try scene.runUntilIdle()
      scene.expectNotes([], "one of two suspensions is left")
      queue.resume()

      try scene.reach(ran, "the body runs")
    },

    Rule(3, "suspending a queue holds every form, and no other queue") { scene in
      let queue = scene.makeQueue(1)
      let other = scene.makeQueue(1)
      let forms = Form.all.filter { !$0.repliesToForeground }
      let ran = Latch(forms.count)
      let others = Latch(3)
      queue.suspend()
      for form in forms {
        form.submit(scene, queue) {
          scene.note("\(form)")
          ran.open()
        }
      }
      for free in [scene.foreground, scene.background, other] { free { others.open() } }

      try scene.reach(others, "the other queues go on")
      try scene.pass(Form.delay)
      scene.expectNotes([], "the queue is suspended")
      queue.resume()

      try scene.reach(ran, "all of them run")
    },

    Rule(3, "flush goes on when all that was submitted before has ended") { scene in
      for queue in scene.makeQueues() {
        let flushed = Latch()
        let ended = Box(0)
        for form in Form.queued {
          form.submit(scene, queue) { ended.increment() }
        }
        queue.after(.seconds(3600)) {}.cancel()

        scene.task {
          await queue.flush()
          scene.expect("bodies of \(queue) that ended", ended.value, is: Form.queued.count)
          flushed.open()
        }

        try scene.reach(flushed, "flush goes on")
      }
    },

    Rule(3, "flush waits for no timer that is not due, and for nothing that comes later") { scene in
      let queue = scene.makeQueue(2)
      let flushed = Latch()
      let timer = queue.after(.seconds(3600)) {}
      let sentinel = queue.submit {}
      _ = try scene.outcome(of: sentinel)

      scene.task {
        await queue.flush()
        flushed.open()
      }

      try scene.reach(flushed, "flush goes on")
      timer.cancel()
    },

    Rule(3, "flush waits until a suspended queue goes on") { scene in
      let queue = scene.makeQueue(1)
      let flushed = Latch()
      queue.suspend()
      queue { scene.note("ran") }
      scene.task {
        await queue.flush()
        scene.note("flushed")
        flushed.open()
      }
      try scene.runUntilIdle()
      scene.expectNotes([], "the queue is suspended")

      queue.resume()

      try scene.reach(flushed, "flush goes on")
      scene.expectNotes(["ran", "flushed"], "flush goes on afterwards")
    },
  ]
}
