internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 13. Accepted work drains, and so does the work it leads to. A timer that is not due does not.
  static let draining: [Rule] =
    Form.all.filter { !$0.isTimed }.map { form in
      Rule(13, "\(form) that was accepted drains") { scene in
        let queues = form.fitting(scene.makeQueues())
        let ran = Latch(queues.count)
        for queue in queues {
          form.submit(scene, queue) {
            scene.note("\(queue)")
            ran.open()
          }
        }
        // The Task of a `run` must have submitted before the shutdown begins.
        if form.name == Form.run.name { try scene.runUntilIdle() }

        let report = try scene.shutDown()

        scene.expect("bodies that ran", scene.notes.count, is: queues.count)
        scene.expect("unfinished", report.unfinished.count, is: 0)
      }
    } + [
      Rule(13, "what draining bodies submit drains with them, from every queue") { scene in
        let queues = scene.makeQueues()
        let runs = Box(0)
        for first in queues {
          first {
            for second in queues {
              second { scene.foreground { runs.increment() } }
            }
          }
        }

        let report = try scene.shutDown()

        scene.expect("chains that ran to their end", runs.value, is: queues.count * queues.count)
        scene.expect("refused", report.ledger.refused, is: 0)
        scene.expect("unfinished", report.unfinished.count, is: 0)
      },

      Rule(13, "what a draining Task submits drains too") { scene in
        let ended = Latch()
        let queue = scene.makeQueue(1)
        scene.task {
          let value = try? await queue.run { 1 }
          let other = try? await scene.foreground.run { 2 }
          scene.expect("values", [value, other], is: [1, 2])
          ended.open()
        }

        try scene.shutDown()

        scene.expect(ended.isOpen, "the Task runs to its end")
      },

      Rule(13, "timers that are not due are cancelled at once, and released") { scene in
        let released = Latch(8)
        var timers: [TimerHandle] = []
        for queue in scene.makeQueues() {
          timers.append(
            queue.after(.seconds(3600), body(releasing: released) { scene.note("timer") }))
          timers.append(
            queue.every(.seconds(3600), body(releasing: released) { scene.note("repeating") }))
        }

        let report = try scene.shutDown()

        scene.expectNotes([], "a cancelled timer never runs")
        scene.expect(
          "outcomes", timers.map(\.outcomeIfFinished), is: Array(repeating: .cancelled, count: 8))
        scene.expect("cancelled", report.ledger.cancelled, is: 8)
        timers = []
        scene.expect(released.isOpen, "their bodies are released", "\(released.missing) are left")
      },

      Rule(13, "timers that are due drain") { scene in
        let queue = scene.makeQueue(1)
        scene.foreground {
          for lane in [scene.foreground, queue] {
            lane.after(.milliseconds(2)) { scene.note("due") }
            lane.after(.seconds(3600)) { scene.note("not due") }
          }
          scene.spend(.milliseconds(4))
          scene.dispatcher.beginShutdown()
        }
        try scene.runUntilIdle()
        let report = try scene.end()

        scene.expectNotes(["due", "due"], "those that are due run")
        scene.expect("cancelled", report.ledger.cancelled, is: 2)
      },

      Rule(13, "a timer cannot be started by what drains") { scene in
        scene.foreground {
          scene.dispatcher.beginShutdown()
          let timer = scene.foreground.after(.milliseconds(1)) { scene.note("timer") }
          scene.expect("its outcome", timer.outcomeIfFinished, is: .refused(.shutDown))
        }
        try scene.runUntilIdle()
        try scene.end()

        scene.expectNotes([], "what was refused never runs")
      },

      Rule(13, "a notification runs whose group the shutdown has emptied") { scene in
        for queue in [scene.foreground, scene.background] {
          let group = WorkGroup()
          queue.after(.seconds(3_600), group: group) {}
          group.notify(on: queue) { scene.note("notified") }
        }

        try scene.shutDown()

        scene.expectNotes(["notified", "notified"], "both notifications run")
      },

      Rule(13, "a sleep ends with CancellationError") { scene in
        let ended = Latch()
        scene.task {
          do {
            try await scene.dispatcher.clock.sleep(for: .seconds(3600))
            scene.expect(false, "the sleep throws CancellationError", "it returned")
          } catch {
            scene.expect(
              error is CancellationError, "the sleep throws CancellationError", "\(error)")
          }
          ended.open()
        }
        try scene.runUntilIdle()

        try scene.shutDown()

        scene.expect(ended.isOpen, "the sleeper's Task drains")
      },

      Rule(13, "a Task that waits for room is refused", overflow: .reject(limit: 1)) { scene in
        let queue = scene.makeQueue(1)
        let ended = Latch()
        queue.suspend()
        queue {}
        scene.task {
          do {
            try await queue.run { scene.note("ran") }
            scene.expect(false, "run throws", "it returned")
          } catch {
            scene.expect(
              "outcome in the error", (error as? NoValue)?.outcome, is: .refused(.shutDown))
          }
          ended.open()
        }
        try scene.runUntilIdle()

        try scene.shutDown()

        scene.expect(ended.isOpen, "the Task goes on")
        scene.expectNotes([], "what was refused never runs")
      },

      Rule(13, "the executors go on until no job is left") { scene in
        let steps = Box(0)
        scene.task {
          for _ in 0..<20 {
            await Task.yield()
            steps.increment()
          }
        }

        try scene.shutDown()

        scene.expect("steps of the Task", steps.value, is: 20)
      },
    ]
    + CatchUp.allCases.map { catchUp in
      Rule(13, "a repeat that is due runs what \(catchUp) owes, and is not armed again") { scene in
        let timer = Box<TimerHandle?>(nil)
        let ticks = Box(0)
        scene.foreground {
          let start = scene.now
          timer.value = scene.foreground.every(.milliseconds(8), catchUp: catchUp) {
            scene.note("run")
          }
          scene.spend(.milliseconds(28))
          scene.dispatcher.beginShutdown()
          // At least three. On threads the body may take longer.
          ticks.value = Int(start.duration(to: scene.now) / .milliseconds(8))
        }
        try scene.runUntilIdle()
        try scene.end()

        let owed: ClosedRange<Int> =
          switch catchUp {
          case .all: 3...Int.max
          case .once, .spaced: 1...1
          case .skip: 0...0
          }
        scene.expect(
          owed.contains(scene.notes.count), "\(owed) runs", "\(scene.notes.count) runs")
        scene.expect(
          scene.notes.count <= ticks.value, "it is not armed again",
          "\(scene.notes.count) runs for \(ticks.value) ticks")
        scene.expect(
          "outcome of the timer", timer.value?.outcomeIfFinished, is: .cancelled)
      }
    }
    + [CatchUp.all, .once, .spaced].map { catchUp in
      Rule(13, "a timer whose run drains ends with that, and can be cancelled in it: \(catchUp)") {
        scene in
        let timer = Box<TimerHandle?>(nil)
        scene.foreground {
          timer.value = scene.foreground.every(.milliseconds(8), catchUp: catchUp) {
            scene.note("run")
            scene.expect("its timer's outcome", timer.value?.outcomeIfFinished, is: nil)
            scene.expect("the flag of the run", CurrentTask.isCancelled, is: false)
            scene.expect("the answer", timer.value?.cancel(), is: .requested)
            scene.expect("the flag of the run", CurrentTask.isCancelled, is: true)
          }
          scene.spend(.milliseconds(12))
          scene.dispatcher.beginShutdown()
        }
        try scene.runUntilIdle()
        try scene.end()
        scene.expectNotes(["run"], "what is owed runs, and is the last")
        scene.expect("its timer's outcome", timer.value?.outcomeIfFinished, is: .cancelled)
        scene.expect("the answer when all has ended", timer.value?.cancel(), is: .tooLate)
      }
    }
}
