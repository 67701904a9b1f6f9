internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 2, for groups: each submission enters its group once, and leaves it once, however it ends.
  static let groups: [Rule] = [
    Rule(2, "a group is left once for each submission, when it has ended") { scene in
      let group = WorkGroup()
      let notified = Latch()
      try scene.hold {
        for queue in scene.makeQueues() {
          for number in 0..<5 {
            queue.async(group: group) { scene.note("\(queue) \(number)") }
            queue.submit(group: group) { throw Oops() }
          }
        }
        scene.expect("in the group before anything runs", group.count, is: 40)
        group.notify(on: scene.foreground) {
          scene.expect("bodies that ran before the notification", scene.notes.count, is: 20)
          notified.open()
        }
      }

      try scene.reach(notified, "the notification runs")
      scene.expect("left in the group", group.count, is: 0)
    },

    Rule(2, "a group is left by what is cancelled, expires or is refused") { scene in
      let queue = scene.makeQueue(1)
      let group = WorkGroup()
      let notified = Latch()
      queue.suspend()
      let cancelled = queue.submit(group: group) {}
      let timer = queue.after(.seconds(3600), group: group) {}
      queue.async(group: group, timeToLive: .milliseconds(1)) {}
      group.notify(on: scene.foreground) { notified.open() }
      scene.expect("in the group", group.count, is: 3)

      cancelled.cancel()
      scene.expect("left after a cancellation", group.count, is: 2)
      timer.cancel()
      scene.expect("left after that of a timer", group.count, is: 1)
      try scene.pass(.milliseconds(3))
      queue.resume()

      try scene.reach(notified, "the notification runs once the last has expired")
      scene.expect("left in the end", group.count, is: 0)
    },

    Rule(2, "a group is left by what is refused", overflow: .reject(limit: 1)) { scene in
      let queue = scene.makeQueue(1)
      let group = WorkGroup()
      queue.suspend()
      queue.async(group: group) {}

      let admission = queue.async(group: group) {}

      scene.expect("admission", admission, is: .refused(.limitReached))
      scene.expect("in the group", group.count, is: 1)
      queue.resume()
      try scene.runUntilIdle()
    },

    Rule(2, "a group of a body with a reply is left when the reply has ended") { scene in
      for queue in scene.makeQueues() {
        let group = WorkGroup()
        let notified = Latch()
        try scene.hold {
          queue.async(label: "work", group: group, { scene.note("body") }) { _ in
            // The body, on another thread, may still be about to leave the group.
            scene.expect(
              group.count >= 1, "a reply that runs is in the group", "\(group.count) are in it")
            scene.note("reply")
          }
          group.notify(on: scene.foreground) {
            scene.note("notification")
            notified.open()
          }
          scene.expect("in the group before anything runs", group.count, is: 1)
        }

        try scene.reach(notified, "the notification runs")
        scene.expect("left in the group", group.count, is: 0)
      }
      try scene.runUntilIdle()
      scene.expectNotes(
        scene.makeQueues().flatMap { _ in ["body", "reply", "notification"] },
        "the notification comes after the reply")
    },

    Rule(2, "a body that expires or that a shutdown skips has no reply, and leaves its group") {
      scene in
      let queue = scene.makeQueue(1)
      let (group, late) = (WorkGroup(), WorkGroup())
      queue.suspend()
      queue.async(group: group, timeToLive: .milliseconds(1), {}) { _ in scene.note("reply") }
      try scene.pass(.milliseconds(3))
      queue.resume()
      try scene.runUntilIdle()
      scene.expect("left in the group of what expired", group.count, is: 0)

      queue.suspend()
      queue.async(group: late, atShutdown: .skip, {}) { _ in scene.note("reply") }
      scene.dispatcher.beginShutdown()
      try scene.end()
      scene.expect("left in the group of what was skipped", late.count, is: 0)
      scene.expectNotes([], "no reply of a body that never ran")
    },

    Rule(2, "a notification runs once, and a group can be used again") { scene in
      let group = WorkGroup()
      for round in 1...3 {
        let notified = Latch()
        group.enter()
        scene.background.async(group: group) { group.leave() }
        group.notify(on: scene.foreground) {
          scene.note("\(round)")
          notified.open()
        }

        try scene.reach(notified, "the notification of round \(round) runs")
      }
      try scene.runUntilIdle()

      scene.expectNotes(["1", "2", "3"], "one notification a round")
    },

    Rule(2, "a notification does not run before the group is empty") { scene in
      let group = WorkGroup()
      let notified = Latch()
      group.enter()
      group.notify(on: scene.background) {
        scene.note("notified")
        notified.open()
      }
      scene.background { scene.note("other work") }

      try scene.runUntilIdle()
      scene.expectNotes(["other work"], "the group is not empty")
      group.leave()

      try scene.reach(notified, "the notification runs")
    },

    Rule(2, "waiting for a group ends when it is empty") { scene in
      try scene.start()
      let group = WorkGroup()
      let waited = Latch()
      for queue in scene.makeQueues() { queue.async(group: group) { scene.note("ran") } }
      scene.task {
        await group.wait()
        waited.open()
      }

      try group.wait(timeout: scene.timeout)

      scene.expect("bodies that ran", scene.notes.count, is: 4)
      scene.expect("left in the group", group.count, is: 0)
      try scene.reach(waited, "the Task that awaits the group goes on")
    },
  ]
}
