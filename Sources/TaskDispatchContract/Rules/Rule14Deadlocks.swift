internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 14. A wait that only the waiting tasks could end is refused, with the chain.
  static let deadlocks: [Rule] = [
    Rule(14, "a sync on the queue of the body that calls is refused, whatever its width") { scene in
      for queue in scene.makeQueues() {
        try scene.perform(on: queue) {
          for target in [queue, queue.barrier] {
            scene.expectDeadlock("a sync on \(target) in a body of it") {
              try target.sync { scene.note("ran") }
            }
          }
        }
      }
      scene.expectNotes([], "the body of a refused sync never runs")
    },

    Rule(14, "a sync on a queue further down the stack is refused") { scene in
      let first = scene.makeQueue(2)
      let second = scene.makeQueue(2)
      for outer in [first, scene.foreground] {
        try scene.perform(on: outer) {
          scene.expectNoThrow("a sync on another queue") {
            try second.sync {
              scene.expectDeadlock("a sync on \(outer), which waits for this") {
                try outer.sync { scene.note("ran") }
              }
            }
          }
        }
      }
      scene.expectNotes([], "the body of a refused sync never runs")
    },

    Rule(14, "a sync inside a sync on the same queue is refused, outside any task too") { scene in
      try scene.start()
      for queue in scene.makeQueues() {
        try queue.sync {
          scene.expectDeadlock("a sync on \(queue) inside one") {
            try queue.sync { scene.note("ran") }
          }
        }
      }
      scene.expectNotes([], "the body of a refused sync never runs")
    },

    Rule(14, "a body that waits for its own outcome is refused") { scene in
      for queue in scene.makeQueues() {
        let handle = Box<TaskHandle<Void>?>(nil)
        try scene.hold {
          handle.value = queue.submit(label: "selfish") {
            scene.expectDeadlock("waiting on \(queue) for itself") { try handle.value?.wait() }
          }
        }
        guard let handle = handle.value else { return }

        scene.expect("its outcome", try scene.outcome(of: handle), is: .completed)
      }
    },

    Rule(14, "a body that waits for one behind it, where one runs at a time, is refused", width: 1)
    {
      scene in
      for queue in [scene.foreground, scene.background, scene.makeQueue(1)] {
        try scene.perform(on: queue) {
          let behind = queue.submit(label: "behind") { scene.note("ran") }
          scene.expectDeadlock("waiting on \(queue) for one behind") { try behind.wait() }
        }
        try scene.runUntilIdle()
      }
      scene.expectNotes(["ran", "ran", "ran"], "what was waited for is not touched")
    },

    Rule(14, "a body that waits for a group whose work stands behind it is refused", width: 1) {
      scene in
      for queue in [scene.foreground, scene.background] {
        let group = WorkGroup()
        try scene.perform(on: queue) {
          queue.async(group: group) { scene.note("ran") }
          scene.expectDeadlock("waiting on \(queue) for the group") {
            try group.wait(timeout: nil)
          }
        }
        try scene.runUntilIdle()
        scene.expect("left in the group", group.count, is: 0)
      }
      scene.expectNotes(["ran", "ran"], "what was waited for is not touched")
    },

    Rule(14, "the chain begins with the task that waits, and says what it waits for") { scene in
      let queue = scene.makeQueue(1)
      let ended = Latch()
      queue.async(label: "the waiter") {
        do { try queue.sync {} } catch WaitRefusal.wouldDeadlock(let chain) {
          let link = chain.first
          scene.expect(
            link?.waiter.contains("the waiter") == true, "the chain begins with \"the waiter\"",
            "\(chain)")
          scene.expect("queue of the waiter", link?.waiterQueue, is: queue.label)
          scene.expect(
            link?.waitsFor.contains(queue.label) == true, "it waits for \(queue.label)", "\(chain)")
        } catch { scene.expect(false, "it is refused as a deadlock", "\(error)") }
        ended.open()
      }

      try scene.reach(ended, "the body goes on")
    },

    Rule(14, "what was refused leaves nothing behind") { scene in
      let queue = scene.makeQueue(1)
      try scene.perform(on: queue) {
        for target in [queue, queue.barrier] {
          scene.expectDeadlock("a sync on \(target) in a body of it") { try target.sync {} }
        }
      }
      let ran = Latch()
      queue { ran.open() }

      try scene.reach(ran, "the queue goes on")
      try scene.runUntilIdle()
      let ledger = scene.dispatcher.ledger
      scene.expect("waiting", ledger.waiting, is: 0)
      scene.expect("completed", ledger.completed, is: 2)
      scene.expect(ledger.balances, "the ledger balances", "\(ledger)")
    },

    Rule(
      14, "a blocking limit refuses a body that would wait for itself",
      overflow: .blockCaller(limit: 1, timeout: nil)
    ) { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let admissions = Box<[Admission]>([])
        try scene.perform(on: queue) {
          for _ in 0..<2 {
            let admission = queue { scene.note("ran") }
            admissions.change { $0.append(admission) }
          }
        }
        try scene.runUntilIdle()

        scene.expect(
          "admissions on \(queue)", admissions.value, is: [.accepted, .refused(.wouldDeadlock)])
      }
      scene.expectNotes(["ran", "ran"], "what was accepted runs")
    },

    Rule(
      14, "a wait for a group is told so that keeps the room from what enters the group",
      overflow: .blockCaller(limit: 1, timeout: nil), needs: .threads
    ) { scene in
      for isMember in [true, false] {
        let (group, ended) = (WorkGroup(), Latch(2))
        let (begins, isOver, refused) = (Latch(), Box(false), Box(0))
        let patience = scene.patience
        scene.foreground.async(label: "waits for the group") {
          begins.hold(patience)
          // Until the other task is about to wait for room.
          while group.count < (isMember ? 2 : 1), begins.isOpen, !isOver.value {}
          do { try group.wait() } catch WaitRefusal.wouldDeadlock { refused.increment() } catch {
            scene.expect(false, "it is refused as a deadlock", "\(error)")
          }
          ended.open()
        }
        scene.background.async(label: "fills the foreground", group: isMember ? group : nil) {
          scene.foreground {}
          begins.open()
          let admission = scene.foreground.async(group: group) {}
          isOver.value = true
          if case .refused(.wouldDeadlock) = admission { refused.increment() }
          ended.open()
        }
        try scene.reach(ended, "both go on")
        try scene.runUntilIdle()
        scene.expect("how many of them are refused", refused.value, is: 1)
      }
    },

    Rule(14, "two views that wait for each other are told so", needs: .threads) { scene in
      let first = scene.makeQueue(1)
      let second = scene.makeQueue(1)
      let both = Latch(2)
      let ended = Latch(2)
      let refusals = Box(0)
      let patience = scene.patience
      for (mine, other) in [(first, second), (second, first)] {
        mine.async(label: "on one view") {
          both.open()
          both.hold(patience)
          do { try other.sync {} } catch WaitRefusal.wouldDeadlock {
            refusals.increment()
          } catch {
            scene.expect(false, "a circle is refused as a deadlock", "\(error)")
          }
          ended.open()
        }
      }

      try scene.reach(ended, "both go on")
      scene.expect(
        (1...2).contains(refusals.value), "one of them is refused, or both",
        "\(refusals.value) were")
    },
  ]
}
