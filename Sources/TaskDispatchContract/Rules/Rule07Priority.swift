internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 7. A higher band starts first. Nothing ages here: an aging step is an hour.
  static let priority: [Rule] = [
    Rule(7, "a higher band starts first", width: 1) { scene in
      for queue in [scene.background, scene.makeQueue(1)] {
        try startsInOrder(
          scene, queue, [.lowest, .low, .medium, .high],
          ["high", "medium", "low", "lowest"])
      }
    },
    Rule(7, "a higher band starts first without an observer", width: 1, isObserved: false) {
      scene in
      try startsInOrder(
        scene, scene.background, [.low, .lowest, .high, .medium],
        ["high", "medium", "low", "lowest"])
    },

    Rule(7, "within a band the order is that of submission", width: 1) { scene in
      let ran = Latch(40)
      try scene.hold {
        for number in 0..<10 {
          for priority in [PriorityBand.low, .high, .lowest, .medium] {
            scene.background.async(priority: priority) {
              scene.note("\(priority) \(number)")
              ran.open()
            }
          }
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(
        PriorityBand.allCases.flatMap { band in (0..<10).map { "\(band) \($0)" } },
        "band after band, each in order")
    },

    Rule(7, "what says nothing stands in the medium band, whatever its form", width: 1) { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(Form.queued.count + 3)
      try scene.hold {
        for (label, priority) in [("low", PriorityBand.low), ("medium", .medium)] {
          queue.async(priority: priority) {
            scene.note(label)
            ran.open()
          }
        }
        for form in Form.queued {
          form.submit(scene, queue) {
            scene.note("\(form)")
            ran.open()
          }
        }
        queue.async(priority: .medium) {
          scene.note("medium again")
          ran.open()
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(
        ["medium"] + Form.queued.map(\.name) + ["medium again", "low"], "one band, one order")
    },

    Rule(7, "run takes the priority of its Task", width: 1) { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(3)
      queue.suspend()
      for priority in [PriorityBand.low, .medium, .high] {
        scene.task(priority: priority) {
          try? await queue.run { scene.note("\(priority)") }
          ran.open()
        }
      }
      try scene.runUntilIdle()

      queue.resume()

      try scene.reach(ran, "all of them run")
      scene.expectNotes(["high", "medium", "low"], "the band of each Task")
    },

    Rule(7, "jobs of Tasks start by the priority of their Task", width: 1) { scene in
      let ran = Latch(3)
      try scene.hold {
        for priority in [PriorityBand.low, .medium, .high] {
          scene.task(priority: priority) {
            scene.note("\(priority)")
            ran.open()
          }
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(["high", "medium", "low"], "the band of each Task")
    },

    Rule(7, "timers that are due start by their bands", width: 1) { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(2)
      queue.suspend()
      queue.after(.milliseconds(1), priority: .low) {
        scene.note("low")
        ran.open()
      }
      queue.after(.milliseconds(2), priority: .high) {
        scene.note("high")
        ran.open()
      }
      try scene.pass(.milliseconds(3))

      queue.resume()

      try scene.reach(ran, "both run")
      scene.expectNotes(["high", "low"], "the higher band first")
    },

    Rule(7, "bands order the tasks between two barriers", width: 1) { scene in
      let queue = scene.makeQueue(2)
      let ran = Latch(5)
      try scene.hold {
        for (label, priority, isBarrier) in [
          ("low 1", PriorityBand.low, false), ("high 1", .high, false), ("barrier", .low, true),
          ("low 2", .low, false), ("high 2", .high, false),
        ] {
          (isBarrier ? queue.barrier : queue).async(priority: priority) {
            scene.note(label)
            ran.open()
          }
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(["high 1", "low 1", "barrier", "high 2", "low 2"], "bands in each part")
    },

    Rule(7, "between views too, a higher band starts first", width: 1) { scene in
      let views = (0..<3).map { _ in scene.makeQueue(2) }
      let ran = Latch(6)
      try scene.hold {
        for (view, priority) in zip(views, [PriorityBand.low, .medium, .high]) {
          for _ in 0..<2 {
            view.async(priority: priority) {
              scene.note("\(priority)")
              ran.open()
            }
          }
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(
        ["high", "high", "medium", "medium", "low", "low"], "the bands, whatever the view")
    },

    Rule(7, "a view with a long queue does not hold another back", width: 1) { scene in
      let long = scene.makeQueue(1)
      let short = scene.makeQueue(1)
      let ran = Latch(22)
      try scene.hold {
        for _ in 0..<20 {
          long {
            scene.note("long")
            ran.open()
          }
        }
        for queue in [short, scene.background] {
          queue {
            scene.note("short")
            ran.open()
          }
        }
      }

      try scene.reach(ran, "all of them run")
      let last = scene.notes.lastIndex(of: "short") ?? .max
      scene.expect(last < 5, "the other queues have their turns", "the last came \(last)th")
    },
  ]

  private static func startsInOrder(
    _ scene: Scene, _ queue: TaskQueue, _ priorities: [PriorityBand], _ expected: [String]
  ) throws {
    let order = Box<[String]>([])
    let ran = Latch(priorities.count)
    try scene.hold {
      for priority in priorities {
        queue.async(priority: priority) {
          order.change { $0.append("\(priority)") }
          ran.open()
        }
      }
    }

    try scene.reach(ran, "all of them run")
    scene.expect("order on \(queue)", order.value, is: expected)
  }
}
