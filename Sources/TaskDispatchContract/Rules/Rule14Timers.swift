internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 14, for waits for a repeating timer, or for a group that contains one.
  static let waitsForTimers: [Rule] = [
    Rule(14, "a run that waits for the end of its own timer, or for a group of it, is refused") {
      scene in
      for queue in scene.makeQueues() {
        let timer = Box<TimerHandle?>(nil)
        let group = WorkGroup()
        let ran = Latch()
        try scene.hold {
          timer.value = queue.every(.milliseconds(1), label: "selfish", group: group) {
            scene.expectDeadlock("waiting on \(queue) for its own timer") {
              try timer.value?.wait()
            }
            scene.expectDeadlock("waiting on \(queue) for a group of its timer") {
              try group.wait(timeout: nil)
            }
            // The refusal does not wait for the time-out either.
            let patience = scene.patience
            scene.expectDeadlock("waiting on \(queue) for its own timer, with a time-out") {
              try timer.value?.wait(timeout: patience)
            }
            scene.expectDeadlock("waiting on \(queue) for a group of it, with a time-out") {
              try group.wait(timeout: patience)
            }
            CurrentTask.cancel()
            ran.open()
          }
        }
        for _ in 0..<2 where !ran.isOpen { try scene.pass(.milliseconds(1)) }
        try scene.reach(ran, "it runs")
        try scene.runUntilIdle()
        scene.expect("its outcome", timer.value?.outcomeIfFinished, is: .cancelled)
        scene.expect("left in the group", group.count, is: 0)
      }
    },

    Rule(14, "a body that waits for a timer whose run stands behind it is refused", width: 1) {
      scene in
      for queue in [scene.foreground, scene.background, scene.makeQueue(1)] {
        let group = WorkGroup()
        let timer = Box<TimerHandle?>(nil)
        try scene.perform(on: queue) {
          let behind = queue.every(.milliseconds(1), label: "behind", group: group) {
            CurrentTask.cancel()
          }
          timer.value = behind
          scene.spend(.milliseconds(2))
          scene.expectDeadlock("waiting on \(queue) for a timer behind") { try behind.wait() }
          scene.expectDeadlock("waiting on \(queue) for a group of it") {
            try group.wait(timeout: nil)
          }
        }
        for _ in 0..<2 where group.count > 0 { try scene.pass(.milliseconds(1)) }
        scene.expect(
          "the outcome of what was waited for", timer.value?.outcomeIfFinished, is: .cancelled)
        try scene.runUntilIdle()
      }
    },

    Rule(14, "a body may wait for a timer that ends itself, and for its group") { scene in
      for queue in [scene.foreground, scene.background, scene.makeQueue(1)] {
        let waiters = queue.lane == .foreground ? scene.makeQueue(1) : scene.background
        let group = WorkGroup()
        let ran = Box(0)
        let ended = Latch(2)
        let timer = queue.every(.milliseconds(1), catchUp: .all, group: group) {
          if ran.increment() == 3 { CurrentTask.cancel() }
        }
        waiters {
          // All runs of the timer are owed after this. On one thread, a wait would not move time.
          scene.spend(.milliseconds(3))
          scene.expectNoThrow("waiting for a timer of \(queue)") {
            scene.expect("its outcome", try timer.wait(), is: .cancelled)
          }
          scene.expect("its runs", ran.value, is: 3)
          ended.open()
        }
        waiters {
          scene.expectNoThrow("waiting for a group that has a timer of \(queue)") {
            try group.wait(timeout: nil)
          }
          ended.open()
        }
        try scene.reach(ended, "both waits end")
      }
    },
  ]
}
