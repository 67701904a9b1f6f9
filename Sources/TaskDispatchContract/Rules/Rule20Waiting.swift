internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  static let waitingCallbacks: [Rule] =
    [Overflow.reject(limit: 100), .blockCaller(limit: 100, timeout: nil)].map(callbackUnderLimit)
    + [
      Rule(20, "what hundreds of bodies captured may submit, cancel and sync when it is released") {
        scene in
        let queues = [scene.background, scene.makeQueue(1), scene.makeQueue(2)]
        let count = scene.isSingleThreaded ? 90 : 300
        let ended = Latch(count)
        for number in 0..<count {
          let (queue, other) = (queues[number % 3], queues[number / 3 % 3])
          let body = holding {
            other.submit {}.cancel()
            // If `other` is the body's own queue, it may have no room beside the body.
            try? other.sync {}
            ended.open()
          }
          if number % 2 == 0 { queue(body) } else { queue.submit(body) }
        }
        try scene.reach(ended, "all are released")
        try scene.runUntilIdle()
      }
    ]

  private static func callbackUnderLimit(_ overflow: Overflow) -> Rule {
    Rule(
      20, "a callback under \(overflow) lets the task behind the one that has ended run",
      overflow: overflow
    ) { scene in
      for width in [1, 2] {
        let (queue, group, told) = (scene.makeQueue(width), WorkGroup(), Latch())
        try scene.hold {
          queue.async(group: group) {}
          let behind = queue.submit { scene.note("behind") }
          group.whenEmpty {
            scene.expectNoThrow("a wait for what stands behind") { try behind.wait() }
            told.open()
          }
        }
        try scene.reach(told, "the callback goes on")
      }
      scene.expectNotes(["behind", "behind"], "what stands behind runs")
    }
  }
}
