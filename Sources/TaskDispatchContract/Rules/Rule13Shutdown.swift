internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 13. The gate closes, and a report accounts for everything.
  static let shutdown: [Rule] =
    Form.all.filter { !$0.isJob && $0.name != Form.run.name }.map { form in
      Rule(13, "\(form) is refused after a shutdown began, and never runs") { scene in
        let queues = form.fitting(scene.makeQueues())
        scene.dispatcher.beginShutdown()
        let before = scene.dispatcher.ledger
        for queue in queues {
          form.submit(scene, queue) { scene.note("\(form) on \(queue)") }
        }

        try scene.end()

        scene.expectNotes([], "what was refused never runs")
        scene.expect(
          "refused", scene.dispatcher.ledger.refused - before.refused, is: queues.count)
      }
    } + [
      Rule(13, "a run is refused after the shutdown, and never runs") { scene in
        let queues = scene.makeQueues()
        // While a shutdown drains, what such a Task submits may still be accepted. So the shutdown must be over first.
        try scene.shutDown()
        let before = scene.dispatcher.ledger
        let refused = Latch(queues.count)
        for queue in queues {
          scene.task {
            do { try await queue.run { scene.note("run on \(queue)") } } catch { refused.open() }
          }
        }

        try scene.reach(refused, "each run is refused")

        scene.expectNotes([], "what was refused never runs")
        scene.expect(
          "refused", scene.dispatcher.ledger.refused - before.refused, is: queues.count)
      },

      Rule(13, "a handle, an admission and a sync say that the dispatcher is shutting down") {
        scene in
        for queue in scene.makeQueues() {
          if scene.dispatcher.report == nil { try scene.shutDown() }

          let handle = queue.submit { scene.note("ran") }
          let timer = queue.after(.milliseconds(1)) { scene.note("ran") }

          scene.expect("admission", queue { scene.note("ran") }, is: .refused(.shutDown))
          scene.expect("outcome", handle.outcomeIfFinished, is: .refused(.shutDown))
          scene.expect("outcome of a timer", timer.outcomeIfFinished, is: .refused(.shutDown))
          do {
            try queue.sync { scene.note("ran") }
            scene.expect(false, "a sync on \(queue) is refused", "it ran")
          } catch WaitRefusal.refused(.shutDown) {
          } catch {
            scene.expect(false, "a sync on \(queue) is refused by the shutdown", "\(error)")
          }
        }
        scene.expectNotes([], "what was refused never runs")
      },

      Rule(13, "there is no report before the end, and then it balances") { scene in
        scene.expect(scene.dispatcher.report == nil, "there is no report without a shutdown")
        for queue in scene.makeQueues() {
          queue {}
          queue.submit { throw Oops() }
          queue.submit {}.cancel()
          queue.after(.seconds(3600)) {}
        }

        let report = try scene.shutDown()

        scene.expect(report.ledger.balances, "the report balances", "\(report)")
        scene.expect("waiting", report.ledger.waiting, is: 0)
        scene.expect("running", report.ledger.running, is: 0)
        scene.expect(
          "completed, failed and cancelled",
          [report.ledger.completed + report.ledger.cancelled, report.ledger.failed], is: [12, 4])
        scene.expect("unfinished", report.unfinished.count, is: 0)
        scene.expect("the ledger afterwards", scene.dispatcher.ledger, is: report.ledger)
      },

      Rule(13, "all callers of shutdown get the same report") { scene in
        let reports = Box<[ShutdownReport]>([])
        let known = Latch(3)
        scene.background {}
        for _ in 0..<3 {
          scene.task {
            let report = await scene.dispatcher.shutdown(.init(drain: .seconds(3600)))
            reports.change { $0.append(report) }
            known.open()
          }
        }

        try scene.reach(known, "the report can be awaited, by tasks of this dispatcher too")
        try scene.end()

        let report = scene.dispatcher.report
        for other in reports.value {
          scene.expect("the ledger that was awaited", other.ledger, is: report?.ledger)
        }
      },

      Rule(13, "a shutdown can begin in a task, which goes on") { scene in
        for queue in [scene.foreground, scene.makeQueue(1)] {
          guard scene.dispatcher.report == nil else { return }
          queue {
            scene.dispatcher.beginShutdown()
            scene.expect(scene.dispatcher.report == nil, "there is no report while a task runs")
            queue { scene.note("submitted by the task") }
          }
          try scene.runUntilIdle()
          try scene.end()
        }
        scene.expectNotes(["submitted by the task"], "its submissions drain")
      },

      Rule(13, "an idle dispatcher ends at once, and a second shutdown changes nothing") { scene in
        let first = try scene.shutDown(.init(drain: .zero, cancel: .zero))
        let second = try scene.shutDown()

        scene.expect("the second ledger", second.ledger, is: first.ledger)
        scene.expect("submissions", first.ledger.submitted, is: 0)
      },

      Rule(13, "a job that arrives after the report runs all the same") { scene in
        let queue = scene.makeQueue(1)
        try scene.shutDown()
        let ran = Latch(3)
        for lane in [scene.foreground, scene.background, queue] {
          scene.task(on: lane) { ran.open() }
        }

        try scene.reach(ran, "the jobs run")
      },

      Rule(13, "confined state can be taken once the report is there") { scene in
        let state = Confined(["first"], to: scene.foreground)
        scene.foreground { state.withValue { $0.append("drained") } }

        try scene.shutDown()

        scene.expect("the state", state.takeValue(), is: ["first", "drained"])
      },
    ]
}
