internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  static let takingTime: [Rule] = [
    Rule(20, "tasks that are posted while a callback takes its time start", needs: .threads) {
      scene in
      let queue = scene.makeQueue(1)
      for first in [scene.background, queue] {
        let (group, isTelling, mayEnd) = (WorkGroup(), Latch(), scene.newGate())
        let patience = scene.patience
        try scene.hold {
          // Long enough that the worker looks at the time, and shorter than its time slice.
          first.async(group: group) { scene.spend(.microseconds(1_200)) }
          group.whenEmpty {
            isTelling.open()
            mayEnd.hold(patience)
          }
        }
        try scene.reach(isTelling, "the callback comes")
        let ran = Latch(2)
        for other in [first, scene.background] { other { ran.open() } }
        try scene.reach(ran, "what is posted while it runs starts")
        mayEnd.open()
      }
    },

    Rule(
      20, "tasks that are posted while the release of an unused value takes its time start",
      needs: .threads
    ) { scene in
      let queue = scene.makeQueue(1)
      for first in [scene.background, queue] {
        let (isFalling, mayEnd) = (Latch(), scene.newGate())
        let patience = scene.patience
        try scene.hold {
          first.submit {
            scene.spend(.microseconds(1_200))
            return Falling {
              isFalling.open()
              mayEnd.hold(patience)
            }
          }
        }
        try scene.reach(isFalling, "the value is released")
        let ran = Latch(2)
        for other in [first, scene.background] { other { ran.open() } }
        try scene.reach(ran, "what is posted while it is released starts")
        mayEnd.open()
      }
    },

    Rule(20, "a callback may wait for a task of the background, where one runs at a time", width: 1)
    {
      scene in
      let (group, told) = (WorkGroup(), Latch())
      try scene.hold {
        scene.background.async(group: group) {}
        let behind = scene.background.submit { scene.note("behind") }
        group.whenEmpty {
          scene.expectNoThrow("a wait for what stands behind") { try behind.wait() }
          told.open()
        }
      }
      try scene.reach(told, "the callback goes on")
      scene.expectNotes(["behind"], "what stands behind runs")
    },

    Rule(20, "a callback may wait for what another of the same group lets go on") { scene in
      for queue in [scene.background, scene.makeQueue(1)] {
        let (group, other, told) = (WorkGroup(), WorkGroup(), Latch())
        other.enter()
        try scene.hold {
          queue.async(group: group) {}
          group.whenEmpty {
            scene.expectNoThrow("a wait for what the notification does") { try other.wait() }
            told.open()
          }
          group.notify(on: queue) {
            scene.note("notified")
            other.leave()
          }
        }
        try scene.reach(told, "the callback goes on")
      }
      scene.expectNotes(["notified", "notified"], "the notifications run")
    },
  ]
}
