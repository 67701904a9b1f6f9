internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 20, where the next task stands in another queue. A thread that had already taken it would be on that queue.
  static let contextBesideOthers: [Rule] = [
    Rule(
      20, "a callback is on no queue either where what comes next stands in another one", width: 1
    ) { scene in
      for (first, second) in pairs(in: scene) {
        let (group, told) = (WorkGroup(), Latch(2))
        let expectNoContext: @Sendable () -> Void = {
          scene.expect("the label of the current task", CurrentTask.label, is: nil)
          scene.expect(CurrentTask.site == nil, "it has no site")
          for other in [first, second, scene.background] {
            scene.expect(!other.isCurrent, "\(other) is not current")
          }
          told.open()
        }
        try scene.hold {
          first.async(label: "first", group: group) {}
          second.async(label: "second") {}
          first.submit(label: "third") { Falling(expectNoContext) }
          second.async(label: "fourth") {}
          group.whenEmpty(expectNoContext)
        }
        try scene.reach(told, "both callbacks come")
        try scene.runUntilIdle()
      }
    },

    Rule(
      20, "a value that is released may sync on the queue in which what comes next stands",
      width: 1
    ) { scene in
      for (first, second) in pairs(in: scene) {
        let released = Latch()
        try scene.hold {
          first.submit {
            Falling {
              scene.expectNoThrow("a sync in a deinit") { try second.sync { scene.note("sync") } }
              released.open()
            }
          }
          second.async(label: "behind") { scene.note("behind") }
        }
        try scene.reach(released, "the deinit goes on")
        try scene.runUntilIdle()
      }
      scene.expect(
        "what ran", scene.notes.sorted(),
        is: pairs(in: scene).map { _ in "behind" }
          + pairs(in: scene).map { _ in "sync" })
    },
  ]

  private static func pairs(in scene: Scene) -> [(TaskQueue, TaskQueue)] {
    let (view, other) = (scene.makeQueue(1), scene.makeQueue(1))
    return [(view, scene.background), (scene.background, view), (view, other)]
  }
}
