internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 13. Work for which a shutdown does not wait is cancelled or abandoned, and the report names it.
  static let shutdownDeadlines: [Rule] = [
    Rule(13, "work that is to be skipped is cancelled at once, and the rest drains") { scene in
      let queue = scene.makeQueue(1)
      var handles: [TaskHandle<Void>] = []
      try scene.hold {
        for lane in [scene.foreground, queue] {
          handles.append(lane.submit(label: "skipped", atShutdown: .skip) { scene.note("skipped") })
          lane.async(label: "drained") { scene.note("drained") }
        }
        scene.dispatcher.beginShutdown()
        scene.expect(
          "outcomes at once", handles.map(\.outcomeIfFinished), is: [.cancelled, .cancelled])
      }
      let report = try scene.end()

      scene.expectNotes(["drained", "drained"], "the others drain")
      scene.expect("cancelled", report.ledger.cancelled, is: 2)
    },

    Rule(13, "what only an outsider can free is cancelled, named, and holds nothing up") { scene in
      let queue = scene.makeQueue(1)
      let group = WorkGroup()
      let released = Latch(3)
      queue.suspend()
      group.enter()
      let held = queue.submit(label: "held", body(releasing: released) { scene.note("held") })
      queue(body(releasing: released) { scene.note("plain") })
      group.notify(
        on: scene.foreground, label: "notified",
        body(releasing: released) { scene.note("notified") })
      scene.foreground { scene.note("drained") }
      let before = scene.now

      let report = try scene.shutDown(.init(drain: .seconds(3600), cancel: .seconds(3600)))

      scene.expectNotes(["drained"], "the rest drains")
      scene.expect("its outcome", held.outcomeIfFinished, is: .cancelled)
      scene.expect(released.isOpen, "their bodies are released", "\(released.missing) are left")
      scene.expect(
        "labels of what never started", report.unfinished.map(\.label),
        is: ["held", nil, "notified"])
      scene.expect(
        before.duration(to: scene.now) < .seconds(3600), "the drain is not waited for", "it was")
      for lost in report.unfinished {
        scene.expect("state of \(lost)", lost.state, is: .neverStarted)
        scene.expect("file of \(lost)", lost.site.fileID, is: "\(#fileID)")
        scene.expect("thread of \(lost)", lost.thread, is: nil)
      }
      scene.expect("queue of the first", report.unfinished.first?.queue, is: queue.label)
      group.leave()
    },

    Rule(
      13, "what came to wait for room while it drained is cancelled like the rest",
      overflow: .reject(limit: 1)
    ) { scene in
      let queue = scene.makeQueue(1)
      let cancelled = Latch(3)
      queue.suspend()
      queue { scene.note("ran") }
      scene.task {
        scene.dispatcher.beginShutdown(.init(drain: .seconds(3600), cancel: .seconds(3600)))
        for _ in 0..<3 {
          scene.task {
            do { try await queue.run { scene.note("ran") } } catch is CancellationError {
              cancelled.open()
            } catch {
              scene.expect(false, "run is cancelled", "it threw \(error)")
            }
          }
        }
      }
      try scene.runUntilIdle()
      let report = try scene.end()

      scene.expectNotes([], "nothing of the suspended queue runs")
      try scene.reach(cancelled, "each run is told")
      scene.expect("what waits", report.ledger.waiting, is: 0)
      scene.expect("cancelled", report.ledger.cancelled, is: 4)
    },

    Rule(13, "without a drain, what has not started is cancelled, and named in order") { scene in
      let queue = scene.makeQueue(1)
      let released = Latch(6)
      try scene.hold {
        for (number, lane) in [scene.foreground, queue, scene.background].enumerated() {
          lane.async(label: "\(number)", body(releasing: released) { scene.note("ran") })
          lane(body(releasing: released) { scene.note("ran") })
        }
        scene.dispatcher.beginShutdown(.init(drain: .zero, cancel: .seconds(3600)))
        if !scene.isSingleThreaded {
          scene.expect(
            released.wait(scene.patience), "they are cancelled while other bodies still run")
        }
      }
      let report = try scene.end()

      scene.expectNotes([], "what was cancelled never runs")
      scene.expect(released.isOpen, "their bodies are released", "\(released.missing) are left")
      scene.expect(
        "labels of what never started", report.unfinished.map(\.label),
        is: ["0", nil, "1", nil, "2", nil])
    },

    Rule(13, "bodies that run when the drain is over see the flag") { scene in
      let queue = scene.makeQueue(1)
      let behind = Latch()
      let handle = Box<TaskHandle<Void>?>(nil)
      try scene.hold {
        handle.value = queue.submit(label: "long") {
          scene.expect("the flag before", CurrentTask.isCancelled, is: false)
          scene.dispatcher.beginShutdown(.init(drain: .milliseconds(4), cancel: .seconds(3600)))
          for _ in 0..<1000 where !CurrentTask.isCancelled { scene.spend(.milliseconds(4)) }
          scene.expect("the flag when the drain is over", CurrentTask.isCancelled, is: true)
        }
        queue.async(label: "behind", body(releasing: behind) { scene.note("behind") })
      }
      try scene.runUntilIdle()
      let report = try scene.end()

      scene.expectNotes([], "what had not started by then never runs")
      scene.expect(
        "outcome of the long one", handle.value?.outcomeIfFinished, is: .completed)
      scene.expect(behind.isOpen, "what never ran is released")
      scene.expect("unfinished", report.unfinished.map(\.label), is: ["behind"])
    },

    Rule(13, "a body that begins a shutdown may wait for what the shutdown cancels") { scene in
      let queue = scene.makeQueue(1)
      queue.suspend()
      let held = queue.submit(label: "held") { scene.note("held") }
      scene.background {
        scene.dispatcher.beginShutdown(.init(drain: .zero, cancel: .seconds(3600)))
        scene.expect("what the wait says", try? held.wait(), is: .cancelled)
        scene.note("waited")
      }
      try scene.runUntilIdle()
      try scene.end()

      scene.expectNotes(["waited"], "the wait ends, and what was cancelled never runs")
    },

    Rule(13, "a later shutdown shortens the deadlines, and cannot lengthen them") { scene in
      let queue = scene.makeQueue(1)
      try scene.hold {
        queue.submit(label: "long") {
          scene.dispatcher.beginShutdown(.init(drain: .seconds(7200), cancel: .seconds(7200)))
          scene.dispatcher.beginShutdown(.init(drain: .milliseconds(4), cancel: .seconds(3600)))
          scene.dispatcher.beginShutdown(.init(drain: .seconds(7200), cancel: .seconds(7200)))
          for _ in 0..<1000 where !CurrentTask.isCancelled { scene.spend(.milliseconds(4)) }
          scene.expect(
            "the flag when the shortest drain is over", CurrentTask.isCancelled, is: true)
        }
        queue { scene.note("behind") }
      }
      try scene.runUntilIdle()
      let report = try scene.end()

      scene.expectNotes([], "what had not started by then never runs")
      scene.expect("unfinished", report.unfinished.count, is: 1)
    },

    Rule(13, "jobs of Tasks run to their end whatever the deadlines") { scene in
      for policy in [
        ShutdownPolicy(drain: .zero, cancel: .zero), .init(drain: .zero, cancel: .seconds(3600)),
      ] where scene.dispatcher.report == nil {
        let steps = Box(0)
        for queue in scene.makeQueues() {
          scene.task(on: queue) {
            for _ in 0..<5 {
              await Task.yield()
              steps.increment()
            }
          }
        }

        try scene.shutDown(policy)

        scene.expect("steps of the Tasks", steps.value, is: 20)
      }
    },

    Rule(
      13, "a flush goes on when a shutdown has cancelled and refused what it waits for",
      overflow: .reject(limit: 1)
    ) { scene in
      let queue = scene.makeQueue(1)
      queue.suspend()
      let held = queue.submit {}
      scene.task { try? await queue.run { scene.note("had no room") } }
      try scene.runUntilIdle()
      let flushed = Latch()
      scene.task {
        await queue.flush()
        flushed.open()
      }
      try scene.runUntilIdle()
      scene.expect(!flushed.isOpen, "it waits before the shutdown")

      let report = try scene.shutDown()

      try scene.reach(flushed, "flush goes on")
      scene.expect("outcome of what was held", held.outcomeIfFinished, is: .cancelled)
      scene.expect("refused", report.ledger.refused, is: 1)
      scene.expectNotes([], "neither runs")
    },

    Rule(13, "a body that never ends is abandoned, named, and ends nothing", needs: .threads) {
      scene in
      let queue = scene.makeQueue(1)
      let gate = scene.newGate()
      let patience = scene.patience
      let started = Latch()
      let ended = Latch()
      let handle = queue.submit(label: "endless") {
        started.open()
        gate.hold(patience)
        ended.open()
      }
      try scene.reach(started, "it runs")
      let flushed = Latch()
      let waits = Latch()
      scene.task(on: scene.foreground) {
        await queue.flush()
        flushed.open()
      }
      scene.foreground { waits.open() }
      try scene.reach(waits, "the Task comes as far as its flush")

      let report = try scene.shutDown(.init(drain: .zero, cancel: .milliseconds(1)))

      scene.expect("its outcome", handle.outcomeIfFinished, is: .abandoned)
      scene.expect("abandoned", report.ledger.abandoned, is: 1)
      scene.expect(report.ledger.balances, "the report balances", "\(report)")
      scene.expect("its label", report.unfinished.first?.label, is: "endless")
      scene.expect("its state", report.unfinished.first?.state, is: .abandoned)
      scene.expect(report.unfinished.first?.thread != nil, "its thread is named")
      try scene.reach(flushed, "the Task that waits for it in flush goes on")
      gate.open()
      scene.expect(ended.wait(patience), "the body can still end")
      scene.expect("its outcome afterwards", handle.outcomeIfFinished, is: .abandoned)
    },
  ]
}
