internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 6. A barrier runs alone in its view, in its place.
  static let barriers: [Rule] = [
    Rule(6, "a barrier runs after all before it, and before all behind it") { scene in
      for queue in [scene.makeQueue(3), scene.background] {
        try dividesBodies(scene, queue) { queue, body in queue.barrier(body) }
      }
    },
    Rule(6, "a barrier with a handle divides as a plain one does") { scene in
      try dividesBodies(scene, scene.makeQueue(3)) { queue, body in
        queue.barrier.submit(label: "barrier") { body() }
      }
    },
    Rule(6, "a barrier divides whatever its priority is") { scene in
      for priority in [PriorityBand.high, .lowest] {
        try dividesBodies(scene, scene.makeQueue(3)) { queue, body in
          queue.barrier.async(priority: priority, body)
        }
      }
    },
    Rule(6, "a barrier that is a run divides too") { scene in
      let queue = scene.makeQueue(3)
      let ended = Latch()
      let before = Box(0)
      for _ in 0..<5 { queue { before.increment() } }
      scene.task {
        try? await queue.barrier.run {
          scene.expect("bodies that ended before it", before.value, is: 5)
        }
        ended.open()
      }

      try scene.reach(ended, "the barrier runs")
    },

    Rule(6, "a barrier with a delay takes its place when it is due") { scene in
      let queue = scene.makeQueue(3)
      let ran = Latch(2)
      queue.barrier.after(.milliseconds(1)) {
        scene.note("barrier")
        ran.open()
      }
      queue {
        scene.note("before")
        ran.open()
      }
      try scene.runUntilIdle()
      try scene.pass(.milliseconds(1))

      try scene.reach(ran, "both run")
      scene.expectNotes(["before", "barrier"], "it did not wait in the queue")
    },

    Rule(6, "a sync stands behind a barrier, and a barrier behind a sync") { scene in
      try scene.start()
      let queue = scene.makeQueue(3)
      let order = Latch()
      queue { scene.note("1") }
      queue.barrier { scene.note("2 barrier") }
      try queue.sync { scene.note("3 sync") }
      try queue.barrier.sync { scene.note("4 barrier sync") }
      queue {
        scene.note("5")
        order.open()
      }

      try scene.reach(order, "all of them run")
      scene.expectNotes(
        ["1", "2 barrier", "3 sync", "4 barrier sync", "5"], "each in its place")
    },

    Rule(6, "a barrier divides jobs of Tasks too") { scene in
      let queue = scene.makeQueue(3)
      let before = Box(0)
      let ran = Latch(11)
      try scene.hold {
        for _ in 0..<5 {
          scene.task(on: queue) {
            before.increment()
            ran.open()
          }
        }
        queue.barrier {
          scene.expect("jobs that ended before the barrier", before.value, is: 5)
          before.value = 100
          ran.open()
        }
        for _ in 0..<5 {
          scene.task(on: queue) {
            scene.expect("whether the barrier ended before the job", before.value, is: 100)
            ran.open()
          }
        }
      }

      try scene.reach(ran, "all of them run")
    },

    Rule(6, "nothing of its view runs while a barrier runs, also when it waits") { scene in
      let queue = scene.makeQueue(3)
      let other = scene.makeQueue(1)
      let ran = Latch(4)
      try scene.hold {
        queue.barrier {
          scene.note("begins")
          let work = other.submit { scene.note("other view") }
          scene.expectNoThrow("waiting for another view") { try work.wait(timeout: scene.timeout) }
          scene.note("ends")
          ran.open()
        }
        for _ in 0..<3 {
          queue {
            scene.note("behind")
            ran.open()
          }
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(
        ["begins", "other view", "ends", "behind", "behind", "behind"], "it runs alone in its view")
    },

    Rule(6, "a barrier that has to wait holds no other view back") { scene in
      let queue = scene.makeQueue(2)
      let ran = Latch()
      let others = [scene.background, scene.makeQueue(2), scene.foreground]
      try scene.hold {
        queue {
          // The barrier behind this body cannot start before this body ends.
          for other in others where other.lane == .background {
            let work = other.submit {}
            scene.expectNoThrow("waiting for \(other)") { try work.wait(timeout: scene.timeout) }
          }
          scene.note("waited")
        }
        queue.barrier {
          scene.note("barrier")
          ran.open()
        }
      }

      try scene.reach(ran, "the barrier runs")
      scene.expectNotes(["waited", "barrier"], "other views went on while it had to wait")
    },

    Rule(6, "barriers behind each other run in order, one at a time") { scene in
      let queue = scene.makeQueue(3)
      let meter = Meter()
      let ran = Latch(5)
      try scene.hold {
        for number in 1...5 {
          queue.barrier {
            meter.count { scene.note("\(number)") }
            ran.open()
          }
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(["1", "2", "3", "4", "5"], "the order of submission")
      scene.expect("barriers at a time", meter.most, is: 1)
    },

    Rule(6, "a higher band behind a barrier does not pass it") { scene in
      let queue = scene.makeQueue(3)
      let ran = Latch(3)
      try scene.hold {
        for (label, priority) in [("low", PriorityBand.low), ("high", .high)] {
          queue.async(priority: priority) {
            scene.note(label)
            ran.open()
          }
          if label == "low" {
            queue.barrier {
              scene.note("barrier")
              ran.open()
            }
          }
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(["low", "barrier", "high"], "a barrier divides the bands")
    },

    Rule(6, "on the foreground, where all run alone, a barrier changes nothing") { scene in
      let ran = Latch(3)
      scene.foreground { scene.note("1") }
      scene.foreground.barrier { scene.note("2") }
      scene.foreground { scene.note("3") }
      scene.foreground.barrier.submit { for _ in 0..<3 { ran.open() } }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(["1", "2", "3"], "the order of submission")
    },
  ]

  /// Submits ten bodies, a barrier and ten bodies, twice over. Each notes how many bodies have begun and ended.
  private static func dividesBodies(
    _ scene: Scene, _ queue: TaskQueue,
    _ submitBarrier: (TaskQueue, @escaping @Sendable () -> Void) -> Void
  ) throws {
    let begun = Box(0)
    let ended = Box(0)
    let ran = Latch(42)
    @Sendable func body() {
      begun.increment()
      ended.increment()
      ran.open()
    }
    try scene.hold {
      for round in 1...2 {
        for _ in 0..<10 { queue(body) }
        submitBarrier(queue) {
          scene.expect("bodies before the barrier that ended", ended.value, is: round * 10)
          scene.expect("bodies behind the barrier that began", begun.value - round * 10, is: 0)
          ran.open()
        }
      }
      for _ in 0..<20 { queue(body) }
    }

    try scene.reach(ran, "all of them run")
  }
}
