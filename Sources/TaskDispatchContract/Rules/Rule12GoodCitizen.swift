internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 12. Other users of the pool are served, however much the dispatcher has to do.
  static let goodCitizen: [Rule] = [
    Rule(
      12, "another user of the pool is served while every worker blocks",
      needs: [.threads, .sharedPool]
    ) {
      scene in
      let served = Latch()
      try scene.hold {
        scene.usePool { served.open() }
        scene.expect(served.wait(scene.patience), "a thread of the pool is left free")
      }
      try scene.runUntilIdle()
    },

    Rule(
      12, "other users of the pool are served while the queues are never empty",
      needs: [.threads, .sharedPool]
    ) {
      scene in
      let served = Latch(20)
      let isOver = Latch()
      let ended = Latch(10)
      @Sendable func again() {
        if isOver.isOpen { ended.open() } else { scene.background(again) }
      }
      for _ in 0..<10 { scene.background(again) }
      @Sendable func use() {
        served.open()
        if !served.isOpen { scene.usePool(use) }
      }

      scene.usePool(use)

      try scene.reach(served, "they are served again and again")
      isOver.open()
      try scene.reach(ended, "the tasks end")
    },
  ]
}
