internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 5. A task that blocks delays no other while a permitted worker is idle.
  static let noHeadOfLine: [Rule] = [
    Rule(5, "a body that waits lets those behind it run") { scene in
      for queue in [scene.background, scene.makeQueue(2)] {
        let ran = Latch()
        let last = Box<TaskHandle<Void>?>(nil)
        try scene.hold {
          queue {
            scene.expectNoThrow("waiting for the last one, on \(queue)") {
              _ = try last.value?.wait(timeout: scene.timeout)
            }
            scene.note("waited")
            ran.open()
          }
          for number in 0..<5 { queue { scene.note("\(number)") } }
          last.value = queue.submit { scene.note("last") }
        }

        try scene.reach(ran, "the one that waits goes on")
        scene.expect("the last one ran", scene.notes.contains("last"), is: true)
      }
    },

    Rule(5, "a view whose bodies wait holds no other view back") { scene in
      let narrow = scene.makeQueue(1)
      let other = scene.makeQueue(1)
      let ran = Latch()
      narrow {
        let work = other.submit { scene.note("other") }
        scene.expectNoThrow("waiting for another view") { try work.wait(timeout: scene.timeout) }
        ran.open()
      }
      narrow { scene.note("behind") }

      try scene.reach(ran, "the one that waits goes on")
      try scene.runUntilIdle()
      scene.expectNotes(["other", "behind"], "the other view went on during the wait")
    },

    Rule(5, "bodies that block for long delay no other", needs: .threads) { scene in
      for queue in [scene.background, scene.makeQueue(2)] {
        let gate = scene.newGate()
        let patience = scene.patience
        let blocked = Latch((queue.view?.width ?? 3) - 1)
        let released = Latch(blocked.missing)
        for _ in 0..<blocked.missing {
          queue {
            blocked.open()
            gate.hold(patience)
            released.open()
          }
        }
        try scene.reach(blocked, "they run")
        let others = Latch(100)
        for _ in 0..<100 { queue { others.open() } }

        try scene.reach(others, "a hundred others run beside them")
        gate.open()
        try scene.reach(released, "they end")
      }
    },

    Rule(5, "a blocked body of the background delays no view", width: 2, needs: .threads) { scene in
      let gate = scene.newGate()
      let patience = scene.patience
      let queue = scene.makeQueue(2)
      let ran = Latch(10)
      let blocked = Latch()
      scene.background {
        blocked.open()
        gate.hold(patience)
      }
      try scene.reach(blocked, "it runs")

      for _ in 0..<10 { queue { ran.open() } }

      try scene.reach(ran, "the view goes on beside it")
      gate.open()
      try scene.runUntilIdle()
    },
  ]
}
