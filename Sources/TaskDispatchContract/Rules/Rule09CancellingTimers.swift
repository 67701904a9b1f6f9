internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 9, for tasks that wait for a time.
  static let cancellingTimers: [Rule] = [
    Rule(9, "a timer that is cancelled before its time never runs, and is released at once") {
      scene in
      for queue in scene.makeQueues() {
        let released = Latch()
        let timer = queue.after(.milliseconds(2), body(releasing: released) { scene.note("ran") })

        scene.expect("the answer on \(queue)", timer.cancel(), is: .beforeStart)

        scene.expect(released.isOpen, "its body is released at once")
        scene.expect("its outcome", timer.outcomeIfFinished, is: .cancelled)
        scene.expect("a second answer", timer.cancel(), is: .tooLate)
      }
      try scene.pass(.milliseconds(4))
      scene.expectNotes([], "a cancelled timer never runs")
    },

    Rule(9, "a timer that is due and has not started can still be cancelled") { scene in
      for queue in scene.makeQueues() {
        try scene.perform(on: scene.foreground) {
          let released = Latch()
          let timer = queue.after(.milliseconds(2), body(releasing: released) { scene.note("ran") })
          scene.spend(.milliseconds(4))
          scene.expect("the answer on \(queue)", timer.cancel(), is: .beforeStart)
          scene.expect(released.isOpen, "its body is released at once")
        }
      }
      try scene.runUntilIdle()
      scene.expectNotes([], "a cancelled timer never runs")
    },

    Rule(9, "a timer that has run cannot be cancelled any more") { scene in
      let ran = Latch()
      let timer = scene.foreground.after(.milliseconds(1)) { ran.open() }
      try scene.pass(.milliseconds(1))
      try scene.reach(ran, "it runs")
      try scene.runUntilIdle()

      scene.expect("the answer", timer.cancel(), is: .tooLate)
      scene.expect("its outcome", timer.outcomeIfFinished, is: .completed)
    },

    Rule(9, "many timers are cancelled in any order, and released at once") { scene in
      let released = Latch(1000)
      let timers = (0..<1000).map { number in
        scene.foreground.after(
          .milliseconds(3 + (number * 7) % 100), body(releasing: released) { scene.note("ran") })
      }

      for number in 0..<1000 { timers[(number * 379) % 1000].cancel() }

      scene.expect(released.isOpen, "every body is released", "\(released.missing) are left")
      scene.expect("waiting", scene.dispatcher.ledger.waiting, is: 0)
      try scene.pass(.milliseconds(5))
      scene.expectNotes([], "a cancelled timer never runs")
    },

    Rule(9, "a repeating timer that is cancelled while its run waits removes no other task") {
      scene in
      for catchUp in CatchUp.allCases {
        let view = scene.makeQueue(1)
        view.suspend()
        view { scene.note("posted") }
        let timer = view.every(.milliseconds(1), catchUp: catchUp) { scene.note("ran") }
        try scene.pass(.milliseconds(2))

        timer.cancel()
        view.resume()
        try scene.runUntilIdle()
      }
      scene.expectNotes(
        CatchUp.allCases.map { _ in "posted" }, "what stood before the run is still there")
    },

    Rule(9, "a repeating timer that is cancelled before its first tick never runs") { scene in
      for queue in scene.makeQueues() {
        for catchUp in CatchUp.allCases {
          let timer = queue.every(.milliseconds(2), catchUp: catchUp) { scene.note("ran") }
          scene.expect("the answer on \(queue)", timer.cancel(), is: .beforeStart)
          scene.expect("its outcome", timer.outcomeIfFinished, is: .cancelled)
        }
      }
      try scene.pass(.milliseconds(5))
      scene.expectNotes([], "a cancelled timer never runs")
    },

    Rule(9, "a repeating timer can end itself, and has ended when its run has") { scene in
      for queue in scene.makeQueues() {
        for catchUp in CatchUp.allCases {
          let timer = Box<TimerHandle?>(nil)
          let answers = Box<[Cancellation?]>([])
          let ran = Latch()
          try scene.perform(on: scene.foreground) {
            timer.value = queue.every(.milliseconds(2), catchUp: catchUp) {
              let answer = timer.value?.cancel()
              answers.change { $0.append(answer) }
              scene.expect("the flag in its body", CurrentTask.isCancelled, is: true)
              scene.expect("its outcome in its body", timer.value?.outcomeIfFinished, is: nil)
              scene.spend(.milliseconds(3))
              ran.open()
            }
          }

          for _ in 0..<2 where !ran.isOpen { try scene.pass(.milliseconds(2)) }
          try scene.reach(ran, "it runs")
          try scene.pass(.milliseconds(6))
          try scene.runUntilIdle()

          scene.expect("the answers on \(queue), \(catchUp)", answers.value, is: [.requested])
          scene.expect("its outcome", timer.value?.outcomeIfFinished, is: .cancelled)
        }
      }
    },

    Rule(9, "a run of a repeating timer can end that without its handle") { scene in
      for queue in scene.makeQueues() {
        for catchUp in CatchUp.allCases {
          let runs = Box(0)
          let ran = Latch()
          let timer = queue.every(.milliseconds(2), catchUp: catchUp) {
            scene.expect("whether there is something to cancel", CurrentTask.cancel(), is: true)
            scene.expect("the flag in its body", CurrentTask.isCancelled, is: true)
            runs.increment()
            ran.open()
          }

          for _ in 0..<2 where !ran.isOpen { try scene.pass(.milliseconds(2)) }
          try scene.reach(ran, "it runs")
          try scene.pass(.milliseconds(6))
          try scene.runUntilIdle()

          scene.expect("runs on \(queue), \(catchUp)", runs.value, is: 1)
          scene.expect("its outcome", timer.outcomeIfFinished, is: .cancelled)
        }
      }
    },

    Rule(9, "a repeating timer that is cancelled while it runs has ended when that run has") {
      scene in
      for queue in scene.makeQueues() {
        let ran = Latch()
        let group = WorkGroup()
        let isRunning = Box(false)
        let timer = queue.every(.milliseconds(2), group: group) {
          isRunning.value = true
          CurrentTask.cancel()
          scene.spend(.milliseconds(3))
          isRunning.value = false
          ran.open()
        }
        let told = Latch()
        scene.task {
          let outcome = await timer.outcome
          scene.expect("how it ended", outcome, is: .cancelled)
          scene.expect(!isRunning.value, "no run of it is in its body when it has ended")
          told.open()
        }
        group.whenEmpty {
          scene.expect(!isRunning.value, "no run of it is in its body when it leaves its group")
        }
        scene.expect("in the group of \(queue)", group.count, is: 1)

        for _ in 0..<2 where !ran.isOpen { try scene.pass(.milliseconds(2)) }
        try scene.reach(ran, "it runs")
        try scene.reach(told, "the Task that awaits its end goes on")
        scene.expect("left in the group of \(queue)", group.count, is: 0)
      }
    },

    Rule(9, "a repeating timer that is due and cancelled does not run what it owes") { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        try scene.perform(on: scene.foreground) {
          let timer = queue.every(.milliseconds(2), catchUp: .all) { scene.note("ran") }
          scene.spend(.milliseconds(7))
          scene.expect("the answer on \(queue)", timer.cancel(), is: .beforeStart)
        }
        try scene.pass(.milliseconds(4))
      }
      scene.expectNotes([], "a cancelled timer never runs")
    },

    Rule(9, "a sleep ends when its Task is cancelled") { scene in
      let ended = Latch()
      let task = scene.task {
        do {
          try await scene.dispatcher.clock.sleep(for: .seconds(3600))
          scene.expect(false, "a cancelled sleep throws CancellationError", "it returned")
        } catch {
          scene.expect(
            error is CancellationError, "a cancelled sleep throws CancellationError", "\(error)")
        }
        ended.open()
      }
      try scene.runUntilIdle()

      task.cancel()

      try scene.reach(ended, "the sleeper goes on")
      scene.expect("waiting", scene.dispatcher.ledger.waiting, is: 0)
    },
  ]
}
