internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 4, for a body that asks on which queue it runs, and for state that only one queue may touch.
  static let whereAmI: [Rule] = [
    Rule(4, "a body's queue is current in it, whatever its form, and no other is") { scene in
      let queues = scene.makeQueues()
      for form in Form.all {
        for queue in form.fitting(queues) {
          let ran = Latch()
          form.submit(scene, queue) {
            let current = form.repliesToForeground ? scene.foreground : queue
            for other in queues {
              scene.expect(
                "\(other).isCurrent in \(form) on \(queue)", other.isCurrent, is: other == current)
            }
            scene.expect(
              "isForeground in \(form) on \(queue)", scene.dispatcher.isForeground,
              is: current == scene.foreground)
            ran.open()
          }
          if form.isTimed { try scene.pass(Form.delay) }
          try scene.reach(ran, "\(form) runs on \(queue)")
        }
      }
    },

    Rule(4, "a queue's barrier is current where the queue is") { scene in
      let queue = scene.makeQueue(2)
      let ran = Latch(2)
      queue {
        scene.expect(queue.barrier.isCurrent, "its barrier is current in a body of it")
        ran.open()
      }
      queue.barrier {
        scene.expect(queue.isCurrent, "the queue is current in its barrier")
        ran.open()
      }

      try scene.reach(ran, "both run")
    },

    Rule(4, "in a sync body both its queue and its caller's are current") { scene in
      let outer = scene.makeQueue(1)
      let inner = scene.makeQueue(1)
      try scene.perform(on: outer) {
        scene.expectNoThrow("sync on another queue") {
          try inner.sync {
            scene.expect(inner.isCurrent, "the queue of the sync is current in its body")
            scene.expect(outer.isCurrent, "that of its caller is current too")
          }
        }
        scene.expect(!inner.isCurrent, "the queue of the sync is not current afterwards")
        scene.expect(outer.isCurrent, "that of the caller still is")
      }
    },

    Rule(4, "a queue is still current after an await") { scene in
      let queue = scene.makeQueue(1)
      let ended = Latch()
      scene.task(on: queue) {
        scene.expect(queue.isCurrent, "its queue is current in a Task")
        _ = try? await scene.foreground.run {
          scene.expect(scene.dispatcher.isForeground, "the foreground is current in a run")
        }
        scene.expect(queue.isCurrent, "its queue is current after an await")
        ended.open()
      }

      try scene.reach(ended, "the Task runs to its end")
    },

    Rule(4, "a body knows its label, and is the only current task") { scene in
      for queue in scene.makeQueues() {
        let ran = Latch(2)
        queue.async(label: "mine") {
          scene.expect("label in the body", CurrentTask.label, is: "mine")
          scene.expect("whether it is cancelled", CurrentTask.isCancelled, is: false)
          ran.open()
        }
        queue {
          scene.expect("label in a plain body", CurrentTask.label, is: nil)
          scene.expect(CurrentTask.site != nil, "a plain body knows where it was submitted")
          ran.open()
        }

        try scene.reach(ran, "both run")
        scene.expect(CurrentTask.site == nil, "outside any body there is no current task")
      }
    },

    Rule(4, "confined state is touched by one body at a time, and by syncs") { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let total = Confined(0, to: queue)
        let ran = Latch(41)
        for _ in 0..<20 {
          queue {
            total.withValue { $0 += 1 }
            ran.open()
          }
          scene.background {
            queue {
              total.withValue { $0 += 1 }
              ran.open()
            }
          }
        }
        try scene.start()
        try queue.sync { total.withValue { $0 += 1 } }
        ran.open()

        try scene.reach(ran, "all of them run")
        let sum = Box(0)
        try queue.sync { sum.value = total.withValue { $0 } }
        scene.expect("what was counted", sum.value, is: 41)
      }
    },

    Rule(4, "an actor lives on its queue, one job at a time") { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let meter = Meter()
        let ran = Latch(20)
        let counter = Counter(queue)
        for _ in 0..<10 {
          scene.task {
            await counter.add(meter, scene)
            ran.open()
          }
          queue {
            meter.count {}
            ran.open()
          }
        }

        try scene.reach(ran, "bodies and jobs run")
        scene.expect("bodies and jobs of \(queue) at a time", meter.most, is: 1)
      }
    },
  ]
}

private actor Counter {
  private let queue: TaskQueue

  init(_ queue: TaskQueue) { self.queue = queue }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

  func add(_ meter: Meter, _ scene: Scene) {
    meter.count { scene.expect(queue.isCurrent, "the queue of an actor is current in its jobs") }
  }
}
