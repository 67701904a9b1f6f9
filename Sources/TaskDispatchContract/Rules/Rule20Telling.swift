internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 20. User code that is called back when a task has ended holds nothing back but its thread.
  ///
  /// Each check runs with an observer and without: without one, a dispatcher may take a shorter way.
  static let telling: [Rule] = rulesOfTelling + rulesOfTelling.map(\.unobserved)

  private static let rulesOfTelling: [Rule] =
    contextOfCallbacks + contextBesideOthers + takingTime + waitingCallbacks + stopping
    + [
      Rule(20, "a callback that waits for the task behind the one that has ended lets it run") {
        scene in
        for width in [1, 2] {
          let (queue, group, told) = (scene.makeQueue(width), WorkGroup(), Latch())
          try scene.hold {
            queue.async(group: group) {}
            let behind = queue.submit { scene.note("behind") }
            group.whenEmpty {
              scene.expectNoThrow("a wait for what stands behind") { try behind.wait() }
              told.open()
            }
          }
          try scene.reach(told, "the callback goes on")
        }
        scene.expectNotes(["behind", "behind"], "what stands behind runs")
      },

      Rule(20, "a value that syncs on its queue when it is released lets what stands behind run") {
        scene in
        for width in [1, 2] {
          let (queue, released) = (scene.makeQueue(width), Latch())
          try scene.hold {
            queue.submit {
              Falling {
                scene.expectNoThrow("a sync in a deinit") { try queue.sync { scene.note("sync") } }
                released.open()
              }
            }
            queue { scene.note("behind") }
          }
          try scene.reach(released, "the deinit goes on")
          try scene.runUntilIdle()
        }
        scene.expect("what ran", scene.notes.sorted(), is: ["behind", "behind", "sync", "sync"])
      },

      Rule(20, "of what a shutdown cancels, all have their outcomes before the first is told") {
        scene in
        let queue = scene.makeQueue(1)
        queue.suspend()
        let second = Box<TaskHandle<Void>?>(nil)
        queue.submit(
          holding {
            scene.expectNoThrow("a wait for the other that was cancelled") {
              scene.expect("its outcome", try second.value?.wait(), is: .cancelled)
            }
            scene.note("released")
          })
        second.value = queue.submit {}

        try scene.shutDown()

        scene.expectNotes(["released"], "the body of the first is released")
      },

      Rule(20, "what expires is told of before the next task is taken", needs: .threads) {
        scene in
        let (queue, group, told) = (scene.makeQueue(1), WorkGroup(), Latch())
        queue.suspend()
        queue.async(group: group, timeToLive: .milliseconds(1)) {}
        let behind = queue.submit { scene.note("behind") }
        group.whenEmpty {
          scene.expectNoThrow("a wait for what stands behind") { try behind.wait() }
          told.open()
        }
        try scene.pass(.milliseconds(3))
        queue.resume()

        try scene.reach(told, "the callback goes on")
        scene.expectNotes(["behind"], "what stands behind runs")
      },
    ]

  private static let contextOfCallbacks = [
    Rule(20, "a callback after the end of a task is in no task, and on no queue") { scene in
      for queue in scene.makeQueues() {
        let (group, told) = (WorkGroup(), Latch(2))
        let expectNoContext: @Sendable () -> Void = {
          scene.expect("the label of the current task", CurrentTask.label, is: nil)
          for other in [queue, scene.foreground, scene.background] {
            scene.expect(!other.isCurrent, "\(other) is not current")
          }
          told.open()
        }
        try scene.hold {
          queue.async(label: "first", group: group) {}
          queue.submit(label: "second") { Falling(expectNoContext) }
          queue.async(label: "third") {}
          group.whenEmpty(expectNoContext)
        }
        try scene.reach(told, "both callbacks come")
      }
    },

    Rule(20, "what a body captured is released in its own context") { scene in
      for queue in scene.makeQueues() {
        let released = Latch(2)
        for submit in [false, true] {
          let fall: @Sendable () -> Void = {
            scene.expect("the label of the current task", CurrentTask.label, is: "mine")
            scene.expect(queue.isCurrent, "\(queue) is current")
            released.open()
          }
          // Held back, so that the submitting code has released the body before the body runs.
          try scene.hold {
            if submit {
              queue.submit(label: "mine", holding(fall))
            } else {
              queue.async(label: "mine", holding(fall))
            }
          }
        }
        try scene.reach(released, "both are released")
      }
    },

    Rule(20, "what a plain body captured is released in its own context, under no lock") { scene in
      for queue in scene.makeQueues() {
        let released = Latch(3)
        let fall: @Sendable () -> Void = {
          scene.expect(queue.isCurrent, "\(queue) is current")
          queue { scene.note("submitted by what is released") }
          released.open()
        }
        // Held back, so that the submitting code has released the bodies before they run.
        try scene.hold { for _ in 0..<3 { queue(holding(fall)) } }
        try scene.reach(released, "all are released")
        try scene.runUntilIdle()
      }
      scene.expect("what ran", scene.notes.count, is: 3 * scene.makeQueues().count)
    },

    Rule(20, "what a call ends is told inside that call, in the context of the code that calls") {
      scene in
      let queue = scene.makeQueue(1)
      queue.suspend()
      let group = WorkGroup()
      let handle = queue.submit(group: group) {}
      group.whenEmpty { scene.note("told in \(CurrentTask.label ?? "no task")") }
      for other in scene.makeQueues().prefix(1) {
        let ended = Latch()
        other.async(label: "canceller") {
          scene.expect("the cancellation", handle.cancel(), is: .beforeStart)
          scene.note("cancelled")
          ended.open()
        }
        try scene.reach(ended, "the body ends")
      }
      scene.expectNotes(["told in canceller", "cancelled"], "the callback comes inside the call")
      queue.resume()
    },
  ]

  /// On a view, another worker may have begun the next task before the callback is made.
  private static let stopping = [
    Rule(20, "what a callback cancels before its start never runs") { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let (group, told) = (WorkGroup(), Latch())
        let answer = Box<Cancellation?>(nil)
        try scene.hold {
          queue.async(group: group) {}
          let behind = queue.submit { scene.note("ran") }
          group.whenEmpty {
            answer.value = behind.cancel()
            told.open()
          }
        }
        try scene.reach(told, "the callback comes")
        try scene.runUntilIdle()
        if queue.lane == .foreground {
          scene.expect("the cancellation", answer.value, is: .beforeStart)
        }
        scene.expect(
          "runs of a task that was cancelled", scene.notes.count,
          is: answer.value == .beforeStart ? 0 : 1)
      }
    },

    Rule(20, "a queue that a callback suspends starts nothing more") { scene in
      let (queue, group, told) = (scene.makeQueue(1), WorkGroup(), Latch())
      let started = Box([String]())
      try scene.hold {
        queue.async(group: group) {}
        let behind = ["second", "third"].map { name in
          (name, queue.submit { scene.note(name) })
        }
        group.whenEmpty {
          queue.suspend()
          // Tasks that have started by now may run: a worker may have taken them before the callback was made.
          started.value = behind.filter { $0.1.cancel() != .beforeStart }.map(\.0)
          queue { scene.note("last") }
          told.open()
        }
      }
      try scene.reach(told, "the callback comes")
      try scene.runUntilIdle()
      if queue.lane == .foreground {
        scene.expect("tasks that started before the callback", started.value, is: [])
      }
      scene.expectNotes(started.value, "nothing starts while it is suspended")
      queue.resume()
      try scene.runUntilIdle()
      scene.expectNotes(started.value + ["last"], "it goes on when it is resumed")
    },
  ]

  /// Makes a body that captures an object. That object calls `fall` when it is released.
  static func holding(_ fall: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let stone = Falling(fall)
    return { withExtendedLifetime(stone) {} }
  }
}
