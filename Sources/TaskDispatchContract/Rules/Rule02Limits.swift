internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 2, at a full queue: work that is not accepted is refused at once.
  static let limits: [Rule] = [
    Rule(2, "a limit lets in exactly as many as it says", overflow: .reject(limit: 3)) { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(3)
      queue.suspend()

      let admissions = (1...5).map { number in
        queue {
          scene.note("\(number)")
          ran.open()
        }
      }

      scene.expect(
        "admissions", admissions,
        is: Array(repeating: .accepted, count: 3)
          + Array(repeating: .refused(.limitReached), count: 2))
      queue.resume()
      try scene.reach(ran, "what was accepted runs")
      try scene.runUntilIdle()
      scene.expectNotes(["1", "2", "3"], "what was refused never runs")
      scene.expect("refused", scene.dispatcher.ledger.refused, is: 2)
    },

    Rule(
      2, "a refusal is the outcome of the handle, and the error of a Task that awaits its value",
      overflow: .reject(limit: 1)
    ) { scene in
      let queue = scene.makeQueue(1)
      let told = Latch()
      queue.suspend()
      queue {}

      let handle = queue.submit(label: "too many") { 1 }

      scene.expect(
        "outcome", handle.outcomeIfFinished, is: .refused(.limitReached))
      scene.expect("cancelling it", handle.cancel(), is: .tooLate)
      queue.resume()
      scene.task {
        do { _ = try await handle.value } catch {
          scene.expect(
            "outcome in the error", (error as? NoValue)?.outcome, is: .refused(.limitReached))
        }
        told.open()
      }
      try scene.reach(told, "the Task that awaits it goes on")
    },

    Rule(2, "a limit counts what waits, in each queue apart", overflow: .reject(limit: 1)) {
      scene in
      let queues = [scene.makeQueue(1), scene.makeQueue(2)]
      for queue in queues { queue.suspend() }

      let first = queues.map { $0 {} }
      let second = queues.map { $0 {} }

      scene.expect("the first in each", first, is: [.accepted, .accepted])
      scene.expect(
        "the second in each", second, is: [.refused(.limitReached), .refused(.limitReached)])
      for queue in queues { queue.resume() }
      try scene.runUntilIdle()
      let third = queues.map { $0 {} }
      scene.expect("once there is room", third, is: [.accepted, .accepted])
      try scene.runUntilIdle()
    },

    Rule(2, "a limit of a queue holds for that queue alone") { scene in
      let queue = scene.makeQueue(1, overflow: .reject(limit: 1))
      let other = scene.makeQueue(1)
      for queue in [queue, other] { queue.suspend() }

      let admissions = (0..<2).map { _ in queue {} }
      let others = [other, scene.background, scene.foreground].flatMap { queue in
        (0..<3).map { _ in queue {} }
      }

      scene.expect("in the queue", admissions, is: [.accepted, .refused(.limitReached)])
      scene.expect("refused elsewhere", others.count { $0 != .accepted }, is: 0)
      for queue in [queue, other] { queue.resume() }
      try scene.runUntilIdle()
    },

    Rule(2, "a queue may have no limit where others have one", overflow: .reject(limit: 1)) {
      scene in
      let queues = [
        scene.makeQueue(1, overflow: .unbounded), scene.makeQueue(1, overflow: .reject(limit: 2)),
        scene.makeQueue(1),
      ]
      for queue in queues { queue.suspend() }

      let accepted = queues.map { queue in (0..<4).count { _ in queue {} == .accepted } }

      scene.expect("accepted in each", accepted, is: [4, 2, 1])
      for queue in queues { queue.resume() }
      try scene.runUntilIdle()
    },

    Rule(2, "a task that runs does not count", overflow: .reject(limit: 2)) { scene in
      for queue in scene.makeQueues() {
        let ran = Latch()
        queue {
          // A queue on a worker that has time takes them at once.
          let admissions = (0..<2).map { _ in queue {} }
          scene.expect("admissions in \(queue.label)", admissions, is: [.accepted, .accepted])
          ran.open()
        }
        try scene.reach(ran, "the first task of \(queue.label)")
        try scene.runUntilIdle()
      }
    },

    Rule(
      2, "room goes to the task that waits for it, before what comes", overflow: .reject(limit: 1)
    ) { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(2)
      queue.suspend()
      queue {
        let admission = queue { scene.note("late") }
        scene.expect("admission of what comes", admission, is: .refused(.limitReached))
        ran.open()
      }
      scene.task {
        do { try await queue.run { ran.open() } } catch {
          scene.expect(false, "run waits for room", "\(error)")
        }
      }
      try scene.runUntilIdle()

      queue.resume()

      try scene.reach(ran, "both run")
      scene.expectNotes([], "what was refused never runs")
    },

    Rule(2, "cancelling makes room, also for a timer that comes due", overflow: .reject(limit: 1)) {
      scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(2)
      queue.suspend()
      let first = queue.submit { scene.note("cancelled") }
      first.cancel()

      let admission = queue { ran.open() }
      queue.after(.milliseconds(1)) { ran.open() }
      try scene.pass(.milliseconds(2))

      scene.expect("admission", admission, is: .accepted)
      queue.resume()
      try scene.reach(ran, "both run: a limit does not count due timers")
      scene.expectNotes([], "what was cancelled never runs")
    },

    Rule(2, "jobs, replies and notifications are exempt from limits", overflow: .reject(limit: 1)) {
      scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(3)
      scene.foreground {
        queue {
          scene.background.async {
            // This task waits on the foreground when the reply comes.
            scene.foreground {}
          } then: { _ in
            ran.open()
          }
        }
      }
      try scene.runUntilIdle()
      queue.suspend()
      queue {}

      scene.task(on: queue) { ran.open() }
      let admission = WorkGroup().notify(on: queue) { ran.open() }

      scene.expect("admission of a notification", admission, is: .accepted)
      queue.resume()
      try scene.reach(ran, "all of them run")
    },

    Rule(2, "run waits for room instead of being refused", overflow: .reject(limit: 1)) { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch(3)
      queue.suspend()
      queue { ran.open() }
      for _ in 0..<2 {
        scene.task {
          do { try await queue.run { ran.open() } } catch {
            scene.expect(false, "run waits for room", "\(error)")
          }
        }
      }
      try scene.runUntilIdle()

      queue.resume()

      try scene.reach(ran, "all of them run")
      scene.expect("refused", scene.dispatcher.ledger.refused, is: 0)
    },

    Rule(
      2, "a blocking limit lets the caller go on when there is room",
      overflow: .blockCaller(limit: 2, timeout: nil)
    ) { scene in
      try scene.start()
      let queue = scene.makeQueue(1)
      let ran = Latch(20)

      let admissions = (0..<20).map { _ in queue { ran.open() } }

      scene.expect("refused among them", admissions.count { $0 != .accepted }, is: 0)
      try scene.reach(ran, "all of them run")
    },

    Rule(
      2, "a queue may block its callers where others refuse them", overflow: .reject(limit: 1)
    ) { scene in
      try scene.start()
      let queue = scene.makeQueue(1, overflow: .blockCaller(limit: 1, timeout: nil))
      let ran = Latch(20)

      let admissions = (0..<20).map { _ in queue { ran.open() } }

      scene.expect("refused among them", admissions.count { $0 != .accepted }, is: 0)
      try scene.reach(ran, "all of them run")
    },

    Rule(
      2, "a blocking limit without time to wait refuses at once",
      overflow: .blockCaller(limit: 1, timeout: .zero)
    ) { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch()
      queue.suspend()
      queue { ran.open() }

      scene.expect("admission", queue {}, is: .refused(.noRoomInTime))
      queue.resume()
      try scene.reach(ran, "the first runs")
    },

    Rule(
      2, "a blocking limit refuses when its time-out has passed",
      overflow: .blockCaller(limit: 1, timeout: .milliseconds(2))
    ) { scene in
      try scene.start()
      let queue = scene.makeQueue(1)
      queue.suspend()
      queue { scene.note("first") }
      let before = scene.now

      let admission = queue { scene.note("second") }

      scene.expect("admission", admission, is: .refused(.noRoomInTime))
      if !scene.isSingleThreaded {
        scene.expect(
          before.duration(to: scene.now) >= .milliseconds(2), "it waited for the time-out",
          "\(before.duration(to: scene.now))")
      }
      queue.resume()
      try scene.runUntilIdle()
      scene.expectNotes(["first"], "what was refused never runs")
    },
  ]
}
