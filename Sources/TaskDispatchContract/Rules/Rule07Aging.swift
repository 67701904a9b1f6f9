internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// The aging step of the checks in which heads age. Bodies take as many steps as a check needs.
  private static let step = Duration.milliseconds(4)

  /// Rule 7. The head of a band ages while others are preferred to it.
  static let aging: [Rule] = [
    Rule(7, "nothing ages before its time", width: 1) { scene in
      let ran = Latch(11)
      try scene.hold {
        submit(scene, "low", .low, ran)
        for _ in 0..<10 {
          submit(scene, "high", .high, ran) { scene.spend(.milliseconds(1)) }
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(
        Array(repeating: "high", count: 10) + ["low"], "it ages by an hour for each band")
    },

    Rule(7, "a head that has aged starts before a band that was higher", width: 1, agingStep: step)
    {
      scene in
      for (priority, steps) in [(PriorityBand.medium, 1), (.low, 2), (.lowest, 3)] {
        // On a busy machine the first may begin when the old one has aged already. Such a turn gives no verdict.
        for _ in 0..<5 {
          let ran = Latch(4)
          let order = scene.notes.count
          let submitted = scene.now
          let began = Box(submitted)
          try scene.hold {
            submit(scene, "old", priority, ran)
            submit(scene, "takes long", .high, ran) {
              began.value = scene.now
              scene.spend(step * steps)
            }
            for _ in 0..<2 { submit(scene, "high", .high, ran) }
          }

          try scene.reach(ran, "all of them run")
          if !scene.isSingleThreaded, began.value >= submitted.advanced(by: step) { continue }
          scene.expect(
            "order, with one in the \(priority) band", Array(scene.notes[order...]),
            is: ["takes long", "old", "high", "high"])
          break
        }
      }
    },

    Rule(7, "after three steps at most two other aged heads start first", width: 1, agingStep: step)
    { scene in
      let ran = Latch(9)
      try scene.hold {
        submit(scene, "takes long", .high, ran) { scene.spend(step * 3) }
        for _ in 0..<5 { submit(scene, "high", .high, ran) }
        submit(scene, "lowest", .lowest, ran)
        submit(scene, "low", .low, ran)
        submit(scene, "medium", .medium, ran)
      }

      try scene.reach(ran, "all of them run")
      scene.expect(
        "the three that start when all have aged", Set(scene.notes[1...3]),
        is: ["lowest", "low", "medium"])
    },

    Rule(7, "only the head of a band ages", width: 1, agingStep: step) { scene in
      let ran = Latch(5)
      try scene.hold {
        submit(scene, "takes long", .high, ran) { scene.spend(step * 3) }
        submit(scene, "high", .high, ran)
        for label in ["low 1", "low 2"] { submit(scene, label, .low, ran) }
        submit(scene, "high", .high, ran)
      }

      try scene.reach(ran, "all of them run")
      // The second low task is the head once the first has been taken. On threads it may age from then on.
      scene.expect("the second to start", scene.notes[1], is: "low 1")
      if scene.isSingleThreaded {
        scene.expectNotes(["takes long", "low 1", "high", "high", "low 2"], "a new head is young")
      }
    },

    Rule(7, "the task that was passed over first starts first", width: 1, agingStep: step) {
      scene in
      let ran = Latch(5)
      try scene.hold {
        // Long enough for the low head to climb to the medium band, and not to the top.
        submit(scene, "takes long", .high, ran) {
          scene.spend(step)
          submit(scene, "medium", .medium, ran)
        }
        submit(scene, "takes longer", .high, ran) { scene.spend(step * 4) }
        submit(scene, "low", .low, ran)
        submit(scene, "high", .high, ran)
      }

      try scene.reach(ran, "all of them run")
      let low = scene.notes.firstIndex(of: "low") ?? .max
      let medium = scene.notes.firstIndex(of: "medium") ?? .max
      scene.expect(low < medium, "the one that has waited longer starts first", "it did not")
    },

    Rule(7, "a band that is always passed over is not starved", width: 1, agingStep: step) {
      scene in
      let queue = scene.makeQueue(1)
      for lane in [scene.background, queue] {
        let ran = Latch()
        let rounds = Box(0)
        let hasRun = Box(false)
        @Sendable func again() {
          scene.spend(step)
          let round = rounds.increment()
          // There are two queues with bands. Each takes three steps, and lets two other tasks go first.
          scene.expect(hasRun.value || round < 100, "it starts within a hundred steps")
          if !hasRun.value, round < 100 { lane.async(priority: .high, again) }
        }
        try scene.hold {
          lane.async(priority: .high, again)
          lane.async(priority: .high, again)
          lane.async(priority: .lowest) {
            hasRun.value = true
            ran.open()
          }
        }

        try scene.reach(ran, "the body in the lowest band runs")
        try scene.runUntilIdle()
      }
    },

    Rule(7, "a view of low tasks is not starved by one of high tasks", width: 1, agingStep: step) {
      scene in
      let busy = scene.makeQueue(1)
      let patient = scene.makeQueue(1)
      let ran = Latch()
      let rounds = Box(0)
      let hasRun = Box(false)
      @Sendable func again() {
        scene.spend(step)
        let round = rounds.increment()
        scene.expect(hasRun.value || round < 100, "it starts within a hundred steps")
        if !hasRun.value, round < 100 { busy.async(priority: .high, again) }
      }
      try scene.hold {
        busy.async(priority: .high, again)
        busy.async(priority: .high, again)
        patient.async(priority: .lowest) {
          hasRun.value = true
          ran.open()
        }
      }

      try scene.reach(ran, "the body of the other view runs")
      try scene.runUntilIdle()
    },
  ]

  private static func submit(
    _ scene: Scene, _ label: String, _ priority: PriorityBand, _ ran: Latch,
    _ body: @escaping @Sendable () -> Void = {}
  ) {
    scene.background.async(priority: priority) {
      scene.note(label)
      body()
      ran.open()
    }
  }
}
