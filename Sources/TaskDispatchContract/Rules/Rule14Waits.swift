internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 14, the other way round: waits that can end do end.
  static let waits: [Rule] = [
    Rule(14, "a sync from every queue on every other succeeds") { scene in
      let queues = scene.makeQueues()
      for outer in queues {
        for inner in queues where inner != outer {
          // On one thread, a background body blocks no queue but its own.
          try scene.perform(on: outer) {
            scene.expectNoThrow("a sync on \(inner) in a body of \(outer)") {
              try inner.sync { scene.note("ran") }
            }
          }
        }
      }
      scene.expect("bodies that ran", scene.notes.count, is: 12)
    },

    Rule(14, "a body may wait for what another queue runs") { scene in
      let queues = scene.makeQueues()
      for outer in queues {
        for inner in queues where inner != outer {
          try scene.perform(on: outer) {
            let work = inner.submit { scene.note("ran") }
            scene.expectNoThrow("waiting in a body of \(outer) for \(inner)") {
              _ = try work.wait(timeout: scene.timeout)
            }
          }
        }
      }
      scene.expect("bodies that ran", scene.notes.count, is: 12)
    },

    Rule(14, "a body of a wide queue may wait for another of it") { scene in
      for queue in [scene.background, scene.makeQueue(2)] {
        try scene.perform(on: queue) {
          let work = queue.submit { scene.note("ran") }
          scene.expectNoThrow("waiting for another of \(queue)") {
            _ = try work.wait(timeout: scene.timeout)
          }
        }
      }
      scene.expect("bodies that ran", scene.notes.count, is: 2)
    },

    Rule(14, "a body whose turn comes in a sync goes on, and what stood before it may wait for it")
    {
      scene in
      let (narrow, wide) = (scene.makeQueue(1), scene.makeQueue(2))
      try scene.perform(on: narrow) {
        let before = wide.submit {
          scene.expectNoThrow("a sync on the queue of the body that waits") {
            try narrow.sync { scene.note("before") }
          }
        }
        scene.expectNoThrow("a sync beside that") { try wide.sync { scene.note("sync") } }
        _ = before
      }
      try scene.runUntilIdle()
      scene.expect("what ran", scene.notes, is: ["sync", "before"])
    },

    Rule(14, "a task may sync on the queue of a body that waits, if that queue has room") { scene in
      let (narrow, wide) = (scene.makeQueue(1), scene.makeQueue(2))
      try scene.perform(on: wide) {
        narrow {
          scene.expectNoThrow("a sync beside the body that waits") {
            try wide.sync { scene.note("before") }
          }
        }
        scene.expectNoThrow("a sync behind that") { try narrow.sync { scene.note("sync") } }
      }
      scene.expect("what ran", scene.notes, is: ["before", "sync"])
    },

    Rule(14, "a body that waits for a group is not held back by what waits for that body") {
      scene in
      let (queue, group) = (scene.makeQueue(1), WorkGroup())
      try scene.perform(on: queue) {
        scene.background {
          scene.expectNoThrow("a sync on the queue of the body that waits") {
            try queue.sync { scene.note("other") }
          }
        }
        scene.background.async(group: group) { scene.note("member") }
        scene.expectNoThrow("a wait for the group") { try group.wait(timeout: scene.timeout) }
      }
      try scene.runUntilIdle()
      scene.expect("what ran", scene.notes, is: ["member", "other"])
    },

    Rule(14, "a wait with a time-out ends, and leaves the task alone") { scene in
      try scene.start()
      let queue = scene.makeQueue(1)
      let group = WorkGroup()
      queue.suspend()
      let handle = queue.submit(group: group) { scene.note("ran") }
      let before = scene.now

      for wait in [
        { _ = try handle.wait(timeout: .milliseconds(2)) },
        { try group.wait(timeout: .milliseconds(2)) },
      ] as [() throws -> Void] {
        do {
          try wait()
          scene.expect(false, "the wait ends with the time-out", "it says that it succeeded")
        } catch WaitRefusal.timedOut {
        } catch {
          scene.expect(false, "the wait ends with the time-out", "\(error)")
        }
      }

      let waited = before.duration(to: scene.now)
      scene.expect(waited >= .milliseconds(4), "both waited for the time-out", "\(waited)")
      scene.expect("outcome", handle.outcomeIfFinished, is: nil)
      queue.resume()
      scene.expect("outcome in the end", try scene.outcome(of: handle), is: .completed)
    },

    Rule(14, "a wait for what has ended ends at once") { scene in
      let handle = scene.background.submit {}
      _ = try scene.outcome(of: handle)
      for queue in scene.makeQueues() {
        try scene.perform(on: queue) {
          scene.expectNoThrow("waiting for what has ended") {
            scene.expect("outcome", try handle.wait(), is: .completed)
            try WorkGroup().wait(timeout: nil)
          }
        }
      }
    },

    Rule(14, "a callback may wait for a group that was entered by hand, and that a body leaves") {
      scene in
      let (queue, group, told) = (scene.makeQueue(1), WorkGroup(), Latch())
      let held = WorkGroup()
      held.enter()
      try scene.hold {
        queue.async(group: group) {}
        queue { held.leave() }
        group.whenEmpty {
          scene.expectNoThrow("waiting in a callback") { try held.wait(timeout: scene.timeout) }
          told.open()
        }
      }
      try scene.reach(told, "the callback goes on")
    },
  ]
}
