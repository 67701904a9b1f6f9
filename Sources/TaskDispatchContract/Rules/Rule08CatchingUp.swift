internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  private static let interval = Duration.milliseconds(8)

  /// Rule 8. Late repetitions follow `catchUp`. Repetitions that are not late need no catching up.
  static let catchingUp: [Rule] =
    CatchUp.allCases.map { catchUp in
      Rule(8, "a repeating timer runs once for each interval, not early: catchUp \(catchUp)") {
        scene in
        for queue in scene.makeQueues() {
          let runs = Box<[DispatcherInstant]>([])
          let ran = Latch(3)
          let before = scene.now
          let timer = queue.every(.milliseconds(2), catchUp: catchUp) {
            let now = scene.now
            runs.change { $0.append(now) }
            ran.open()
          }

          for _ in 0..<6 { try scene.pass(.milliseconds(1)) }
          if !scene.isSingleThreaded { try scene.reach(ran, "it runs three times") }
          timer.cancel()
          try scene.runUntilIdle()

          for (number, run) in runs.value.enumerated() {
            let tick = before.advanced(by: .milliseconds(2) * (number + 1))
            scene.expect(
              run >= tick, "run \(number + 1) on \(queue) is at \(tick) or later", "\(run)")
          }
          if scene.isSingleThreaded {
            scene.expect("runs on \(queue)", runs.value.count, is: 3)
          }
        }
      }
    }
    + CatchUp.allCases.map { catchUp in
      Rule(8, "a repeating timer that is late does what its catchUp says: \(catchUp)") { scene in
        for queue in [scene.foreground, scene.makeQueue(1)] {
          try catchesUp(scene, queue, catchUp)
        }
      }
    } + [
      Rule(8, "with .spaced, the next run is one interval after the last has ended") { scene in
        let ends = Box<[DispatcherInstant]>([])
        let ran = Latch(3)
        let timer = scene.foreground.every(interval, catchUp: .spaced) {
          if let last = ends.value.last {
            let due = last.advanced(by: interval)
            scene.expect(scene.now >= due, "it runs at \(due) or later", "\(scene.now)")
          }
          scene.spend(interval * 2)
          let now = scene.now
          ends.change { $0.append(now) }
          ran.open()
        }

        for _ in 0..<3 where !ran.isOpen { try scene.pass(interval) }
        try scene.reach(ran, "it runs three times")
        timer.cancel()
        try scene.runUntilIdle()
      },

      Rule(8, "with .all, the ticks keep their distance however long a run takes") { scene in
        let runs = Box(0)
        let ran = Latch(4)
        let start = scene.now
        let timer = scene.foreground.every(interval, catchUp: .all) {
          // The first run ends behind the third tick. The runs for both missed ticks follow at once.
          if runs.increment() == 1 { scene.spend(interval * 5 / 2) }
          scene.note("run")
          ran.open()
        }

        for _ in 0..<5 where !ran.isOpen { try scene.pass(interval) }
        try scene.reach(ran, "it runs four times")
        let fourth = start.advanced(by: interval * 4)
        scene.expect(scene.now >= fourth, "the fourth is at \(fourth) or later", "\(scene.now)")
        timer.cancel()
        try scene.runUntilIdle()
      },
    ]

  /// Blocks the loop for three and a half intervals, and checks which runs a timer gets afterwards.
  private static func catchesUp(_ scene: Scene, _ queue: TaskQueue, _ catchUp: CatchUp) throws {
    let runs = Box<[DispatcherInstant]>([])
    let timer = Box<TimerHandle?>(nil)
    let start = Box(DispatcherInstant.start)
    /// The runs for the missed ticks, once they are over. `next` is the time of the run after those.
    let owed = Box<[DispatcherInstant]?>(nil)
    let next = Box<DispatcherInstant?>(nil)
    let seen = Latch()
    let nextRan = Latch()
    scene.foreground {
      start.value = scene.now
      timer.value = queue.every(interval, catchUp: catchUp) {
        let now = scene.now
        if owed.value == nil { return runs.change { $0.append(now) } }
        next.change { $0 = $0 ?? now }
        nextRan.open()
      }
      // Due after the missed ticks.
      queue.after(interval * 16 / 5) {
        // An owed run goes behind what waits. So all owed runs are over after as many other tasks.
        again(4, on: queue) {
          owed.value = runs.value
          expectOwed(scene, runs.value.count, start.value.duration(to: scene.now), queue, catchUp)
          seen.open()
        }
      }
      scene.spend(interval * 7 / 2)
    }

    try scene.reach(seen, "the late loop goes on")
    for _ in 0..<2 where !nextRan.isOpen { try scene.pass(interval) }
    try scene.reach(nextRan, "the next tick runs")
    timer.value?.cancel()
    try scene.runUntilIdle()

    // The next tick is the fourth. With a fixed delay, it comes one interval after the last run.
    let last = owed.value?.last ?? start.value
    let due =
      catchUp == .spaced ? last.advanced(by: interval) : start.value.advanced(by: interval * 4)
    let found = next.value ?? .start
    scene.expect(found >= due, "the next run is at \(due) or later", "\(found)")
  }

  /// Runs `body` in the last task of a chain on `queue`, in which each of `times` tasks submits the next.
  private static func again(
    _ times: Int, on queue: TaskQueue, _ body: @escaping @Sendable () -> Void
  ) {
    if times == 0 { return body() }
    queue { again(times - 1, on: queue, body) }
  }

  private static func expectOwed(
    _ scene: Scene, _ runs: Int, _ late: Duration, _ queue: TaskQueue, _ catchUp: CatchUp
  ) {
    // The ticks that have come since, if the thread had to wait for a processor.
    let more = max(0, Int(late / interval) - 3)
    let owed: ClosedRange<Int> =
      switch catchUp {
      case .all: 3...(3 + more)
      case .once, .spaced: 1...(1 + more)
      case .skip: 0...more
      }
    scene.expect(
      owed.contains(runs), "\(catchUp) runs \(owed) times on \(queue) for three missed ticks",
      "\(runs) runs")
  }
}
