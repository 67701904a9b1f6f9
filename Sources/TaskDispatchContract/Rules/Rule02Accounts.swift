internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 2. The ledger and the events that the observer is told account for every submission.
  static let accounts: [Rule] = [
    Rule(2, "the ledger counts each outcome, and balances at every moment") { scene in
      let queue = scene.makeQueue(1)
      scene.expect("a new ledger", scene.dispatcher.ledger, is: Ledger())
      queue.suspend()
      queue {}
      queue.submit(label: "fails") { throw Oops() }
      queue.submit(label: "cancelled") {}.cancel()
      queue.async(timeToLive: .milliseconds(1)) {}
      queue.after(.seconds(3600)) {}.cancel()
      scene.expect("waiting", scene.dispatcher.ledger.waiting, is: 3)
      scene.expect("cancelled", scene.dispatcher.ledger.cancelled, is: 2)
      try scene.pass(.milliseconds(3))
      let before = scene.dispatcher.ledger

      queue.resume()
      let seen = Box<Ledger?>(nil)
      let last = queue.submit(label: "looks") { seen.value = scene.dispatcher.ledger }
      _ = try scene.outcome(of: last)
      try scene.runUntilIdle()

      let after = scene.dispatcher.ledger
      scene.expect("completed", after.completed - before.completed, is: 2)
      scene.expect("failed", after.failed, is: 1)
      scene.expect("expired", after.expired, is: 1)
      scene.expect("refused", after.refused, is: 0)
      scene.expect("waiting in the end", after.waiting, is: 0)
      scene.expect("running inside a body", seen.value?.running, is: 1)
      for ledger in [before, seen.value ?? before, after] {
        scene.expect(ledger.balances, "the ledger balances", "\(ledger)")
      }
    },

    Rule(2, "the observer is told once that a task was enqueued, started and finished") { scene in
      for queue in scene.makeQueues() {
        let ended = Latch()
        queue.async(label: "told of on \(queue)") {}
        queue.barrier { ended.open() }
        try scene.reach(ended, "the tasks run")
        try scene.runUntilIdle()

        let kinds = scene.events.events(labeled: "told of on \(queue)").map(\.kind)

        scene.expect("number of events", kinds.count, is: 3)
        for kind in [TaskEvent.Kind.enqueued, .started, .finished(.completed)] {
          scene.expect("times \(kind)", kinds.count { $0 == kind }, is: 1)
        }
      }
    },

    Rule(2, "the record of a task says label, queue, lane, band and parent") { scene in
      let queue = scene.makeQueue(2)
      let ran = Latch()
      scene.foreground.async(label: "parent") {
        queue.async(priority: .low, label: "child") { ran.open() }
      }
      try scene.reach(ran, "parent and child run")
      try scene.runUntilIdle()

      let parent = scene.events.events(labeled: "parent").first?.task
      let child = scene.events.events(labeled: "child").first?.task

      scene.expect("parent of the child", child?.parent, is: parent?.id)
      scene.expect(child?.parent != nil, "the child has a parent", "none")
      scene.expect("parent of the parent", parent?.parent, is: nil)
      scene.expect("queue of the child", child?.queue, is: queue.label)
      scene.expect("lane of the child", child?.lane, is: .background)
      scene.expect("band of the child", child?.band, is: .low)
      scene.expect("queue of the parent", parent?.queue, is: "foreground")
    },

    Rule(2, "what a reply, a notification and a repeat lead to has the right parent") { scene in
      let ran = Latch(2)
      scene.foreground.async(label: "submitter") {
        scene.background.async(label: "asked") {
        } then: { _ in
          ran.open()
        }
      }
      let timer = scene.foreground.every(.milliseconds(1), label: "tick") { ran.open() }
      try scene.pass(.milliseconds(1))
      try scene.reach(ran, "the reply and the tick run")
      timer.cancel()
      try scene.runUntilIdle()

      let submitter = scene.events.events(labeled: "submitter").first?.task
      let asked = scene.events.events(labeled: "asked").first { $0.task.lane == .background }?.task
      let reply = scene.events.events(labeled: "asked").first { $0.task.lane == .foreground }?.task
      // By number: threads may tell of the timer and of its runs in any order.
      let ticks = scene.events.events(labeled: "tick").map(\.task).sorted { $0.id < $1.id }

      scene.expect("parent of what was asked", asked?.parent, is: submitter?.id)
      scene.expect("parent of the reply", reply?.parent, is: asked?.id)
      scene.expect(
        "parent of a run of the timer", ticks.first { $0.id != ticks.first?.id }?.parent,
        is: ticks.first?.id)
    },

    Rule(2, "a sync is a submission like any other") { scene in
      try scene.start()
      let queue = scene.makeQueue(1)
      let before = scene.dispatcher.ledger
      try queue.sync { scene.note("sync") }

      let after = scene.dispatcher.ledger

      scene.expect("accepted", after.accepted - before.accepted, is: 1)
      scene.expect("completed", after.completed - before.completed, is: 1)
      scene.expect(after.balances, "the ledger balances", "\(after)")
    },

    Rule(2, "a sync returns its value, or throws what its body threw, once it has run") { scene in
      try scene.start()
      for queue in scene.makeQueues() {
        scene.expect("value of a sync on \(queue)", try queue.sync { 42 }, is: 42)
        do {
          try queue.sync { throw Oops() }
          scene.expect(false, "a sync throws what its body throws")
        } catch {
          scene.expect(error is Oops, "a sync throws what its body throws", "\(error)")
        }
      }
    },
  ]
}
