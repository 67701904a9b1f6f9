internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 4. No queue runs more tasks at a time than its width, and each reaches its width.
  static let alone: [Rule] = [
    Rule(4, "foreground bodies never overlap, whatever their form") { scene in
      try overlaps(scene, scene.foreground, atMost: 1)
    },
    Rule(4, "bodies of a view of width 1 never overlap, whatever their form") { scene in
      try overlaps(scene, scene.makeQueue(1), atMost: 1)
    },
    Rule(4, "no more bodies of a view run than it is wide") { scene in
      try overlaps(scene, scene.makeQueue(2), atMost: 2)
    },
    Rule(4, "no more bodies of the background run than it is wide", width: 2) { scene in
      try overlaps(scene, scene.background, atMost: 2)
    },
    Rule(4, "no more bodies run on workers than the background is wide", width: 2) { scene in
      try overlaps(scene, scene.makeQueue(7), atMost: 2)
    },

    Rule(4, "while a foreground body waits, no other foreground body runs") { scene in
      let meter = Meter()
      let ran = Latch(6)
      for _ in 0..<3 {
        scene.foreground {
          meter.count {
            let work = scene.background.submit(label: "asked") {}
            scene.expectNoThrow("waiting for the background") {
              try work.wait(timeout: scene.timeout)
            }
            scene.expectNoThrow("sync on the background") { try scene.background.sync {} }
            let group = WorkGroup()
            scene.background.async(group: group) {}
            scene.expectNoThrow("waiting for a group") { try group.wait(timeout: scene.timeout) }
          }
          ran.open()
        }
        scene.foreground {
          meter.count {}
          ran.open()
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expect("foreground bodies at a time", meter.most, is: 1)
    },

    Rule(4, "while bodies of a queue wait, no more of it run than its width") { scene in
      for (queue, width) in [(scene.makeQueue(1), 1), (scene.makeQueue(2), 2)] {
        let meter = Meter()
        let ran = Latch(6)
        let last = Box<TaskHandle<Void>?>(nil)
        try scene.hold {
          for _ in 0..<6 {
            queue {
              // The wait is refused, or ends in vain, sooner or later: the awaited task may need this body's place.
              meter.count { _ = try? last.value?.wait(timeout: .milliseconds(2)) }
              ran.open()
            }
          }
          last.value = queue.submit { meter.count {} }
        }

        try scene.reach(ran, "all of them run")
        scene.expect(
          meter.most <= width, "no more than \(width) of \(queue) at a time", "\(meter.most)")
      }
    },

    Rule(4, "a sync counts against the width of its queue") { scene in
      try scene.start()
      let queue = scene.makeQueue(2)
      let meter = Meter()
      let ran = Latch(8)
      for _ in 0..<8 {
        scene.background {
          scene.expectNoThrow("sync on another queue") { try queue.sync { meter.count {} } }
          ran.open()
        }
        queue { meter.count {} }
      }
      for _ in 0..<8 { try queue.sync { meter.count {} } }

      try scene.reach(ran, "all of them run")
      try scene.runUntilIdle()
      scene.expect(meter.most <= 2, "no more than 2 at a time", "\(meter.most)")
    },

    Rule(4, "a sync on a view takes no worker", needs: .threads) { scene in
      try scene.start()
      let queue = scene.makeQueue(2)
      try scene.hold {
        try queue.sync { scene.note("ran while every worker was held") }
      }
      scene.expect("syncs that ran", scene.notes.count, is: 1)
    },

    Rule(4, "a queue reaches its width when there is work", needs: .threads) { scene in
      for (queue, width) in [
        (scene.background, 3), (scene.makeQueue(3), 3), (scene.makeQueue(2), 2),
      ] {
        let together = Latch(width)
        let met = Latch(width)
        let patience = scene.patience
        for _ in 0..<width {
          queue {
            together.open()
            if together.wait(patience) { met.open() }
          }
        }

        try scene.reach(met, "\(width) bodies of \(queue) run at a time")
      }
    },
  ]

  /// Submits bodies of every form, and checks how many of them ran at the same time.
  private static func overlaps(_ scene: Scene, _ queue: TaskQueue, atMost most: Int) throws {
    let forms = Form.all.filter {
      !$0.repliesToForeground && !$0.fitting([queue]).isEmpty
    }
    let meter = Meter()
    let ran = Latch(forms.count * 5 + 1)
    for _ in 0..<5 {
      for form in forms {
        form.submit(scene, queue) {
          meter.count {}
          ran.open()
        }
      }
    }
    try scene.start()
    try queue.sync { meter.count {} }
    ran.open()
    try scene.pass(Form.delay)
    try scene.reach(ran, "all of them run")

    scene.expect(meter.most <= most, "no more than \(most) at a time", "\(meter.most)")
  }
}
