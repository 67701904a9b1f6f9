internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 11. A task that submits itself for ever starves neither timers nor other tasks.
  static let fairness: [Rule] = [
    Rule(11, "a foreground task that posts itself for ever does not starve timers") { scene in
      let ran = Latch(3)
      let isOver = Box(false)
      let rounds = Box(0)
      @Sendable func again() {
        scene.spend(.microseconds(200))
        let round = rounds.increment()
        scene.expect(isOver.value || round < scene.manyRounds, "the timers run within many rounds")
        if !isOver.value, round < scene.manyRounds { scene.foreground(again) }
      }
      scene.foreground(again)
      for (number, queue) in [scene.foreground, scene.background, scene.foreground].enumerated() {
        queue.after(.milliseconds(1 + number)) {
          ran.open()
          if ran.isOpen { isOver.value = true }
        }
      }

      try scene.reach(ran, "the timers run")
      try scene.runUntilIdle()
    },

    Rule(11, "due timers and posted foreground tasks take turns while both wait") { scene in
      scene.foreground {
        for number in 1...2 {
          scene.foreground.after(.milliseconds(number)) { scene.note("timer \(number)") }
        }
        for number in 1...3 { scene.foreground { scene.note("posted \(number)") } }
        // Both timers come due while this body has the loop's thread. So long a body ends an iteration.
        scene.spend(.milliseconds(10))
      }

      try scene.runUntilIdle()
      try scene.pass(.milliseconds(20))
      scene.expectNotes(
        ["timer 1", "posted 1", "timer 2", "posted 2", "posted 3"], "one of each in turn")
    },

    Rule(11, "an event does not wait until every posted task has run", needs: .events) { scene in
      let descriptor = try scene.openDescriptor()
      let registration = Box<Registration?>(nil)
      registration.value = try scene.eventDispatcher().onReady(descriptor, for: .readable) { _ in
        scene.note("event")
        registration.value?.cancel()
      }
      scene.foreground {
        scene.makeReadable(descriptor)
        for number in 1...8 {
          scene.foreground {
            scene.note("posted \(number)")
            scene.spend(.milliseconds(10))
          }
        }
      }

      try scene.runUntilIdle()
      try scene.pass(.milliseconds(100))
      let notes = scene.notes
      scene.expect("how many ran", notes.count, is: 9)
      scene.expect(notes.last == "posted 8", "the event comes before the last: \(notes)")
    },

    Rule(11, "a foreground task that posts itself for ever does not starve the background") {
      scene in
      try endsEndless(scene, scene.foreground, scene.background)
    },
    Rule(11, "a background task that posts itself for ever does not starve the foreground") {
      scene in
      try endsEndless(scene, scene.background, scene.foreground)
    },
    Rule(11, "a task that posts itself for ever does not starve another view", width: 1) { scene in
      try endsEndless(scene, scene.makeQueue(1), scene.makeQueue(1))
    },
    Rule(11, "a task that posts itself for ever does not starve its own queue", width: 1) { scene in
      for queue in scene.makeQueues() { try endsEndless(scene, queue, queue) }
    },
    Rule(11, "a job that yields for ever does not starve bodies", width: 1) { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let ran = Latch(2)
        let isOver = Box(false)
        scene.task(on: queue) {
          for _ in 0..<scene.manyRounds where !isOver.value { await Task.yield() }
          scene.expect(isOver.value, "the body runs within many yields")
          ran.open()
        }
        queue {
          isOver.value = true
          ran.open()
        }

        try scene.reach(ran, "both end")
      }
    },
  ]

  /// Submits to `queue` a task that submits itself again until a body has run on `other`.
  private static func endsEndless(_ scene: Scene, _ queue: TaskQueue, _ other: TaskQueue) throws {
    let ran = Latch()
    let rounds = Box(0)
    @Sendable func again() {
      let round = rounds.increment()
      if !ran.isOpen, round < scene.manyRounds { queue(again) }
    }
    try scene.hold {
      queue(again)
      other { ran.open() }
    }

    try scene.reach(ran, "the body on \(other) runs")
    try scene.runUntilIdle()
  }
}
