internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  private static let interval = Duration.milliseconds(8)

  /// Rule 8. A repeating timer has at most one run, whatever keeps that run waiting or running.
  static let repeating: [Rule] =
    CatchUp.allCases.flatMap { catchUp in
      [
        Rule(8, "a repeating timer whose body is slow runs once at a time: catchUp \(catchUp)") {
          scene in
          for queue in scene.makeQueues() { try runsSlowly(scene, queue, catchUp) }
        },

        Rule(8, "a repeating timer on a queue that is held has one run: catchUp \(catchUp)") {
          scene in
          for width in [1, 2] {
            let view = scene.makeQueue(width)
            view.suspend()
            try isHeldBack(scene, view, catchUp, release: view.resume)
          }
        },

        Rule(8, "a repeating timer on a queue that is slow has one run: catchUp \(catchUp)") {
          scene in
          let view = scene.makeQueue(1)
          let gate = scene.newGate()
          if scene.isSingleThreaded {
            view.suspend()
            view {}
            return try isHeldBack(scene, view, catchUp, release: view.resume)
          }
          let begun = Latch()
          view {
            begun.open()
            _ = gate.wait(scene.patience)
          }
          try scene.reachInBackground(begun, "the task that holds the queue begins")
          try isHeldBack(scene, view, catchUp, release: gate.open)
        },

        Rule(
          8, "a repeating timer on a queue that is full has one run: catchUp \(catchUp)",
          overflow: .reject(limit: 1)
        ) { scene in
          let view = scene.makeQueue(1)
          view.suspend()
          scene.expect("the admission that fills the queue", view {}, is: .accepted)
          scene.expect("the next", view {}, is: .refused(.limitReached))
          try isHeldBack(scene, view, catchUp, release: view.resume)
        },
      ]
    }

  /// What one run has observed.
  private struct Run: Sendable {
    let began: DispatcherInstant
    var ended: DispatcherInstant
    let missed: Int
  }

  /// How many whole intervals lie between two instants: the ticks of a timer that was made at the first.
  private static func ticks(_ start: DispatcherInstant, _ end: DispatcherInstant) -> Int {
    max(0, Int(start.duration(to: end) / interval))
  }

  private static func runsSlowly(_ scene: Scene, _ queue: TaskQueue, _ catchUp: CatchUp) throws {
    let meter = Meter()
    let runs = Box<[Run]>([])
    let ran = Latch(3)
    let earliest = scene.now
    let timer = queue.every(interval, catchUp: catchUp) {
      meter.count {
        let began = scene.now
        let missed = CurrentTask.missedTicks
        // The body ends half an interval before a tick.
        scene.spend(interval * 5 / 2)
        let ended = scene.now
        runs.change { $0.append(Run(began: began, ended: ended, missed: missed)) }
        if ran.missing == 1 { CurrentTask.cancel() }
        ran.open()
      }
    }
    let latest = scene.now

    for _ in 0..<16 where !ran.isOpen { try scene.pass(interval) }
    try scene.reach(ran, "it runs three times")
    try scene.runUntilIdle()

    scene.expect("its outcome", timer.outcomeIfFinished, is: .cancelled)
    scene.expect("runs of it at a time on \(queue)", meter.most, is: 1)
    scene.expect("runs of it on \(queue)", runs.value.count, is: 3)
    var answered = 0
    for (number, run) in runs.value.enumerated() {
      answered += 1 + run.missed
      let came = ticks(earliest, run.began)
      scene.expect(
        answered <= came, "run \(number + 1) answers for no more than \(came) ticks", "\(answered)")
      guard number > 0 else { continue }
      let last = runs.value[number - 1]
      expect(scene, run, after: last, earliest, latest, number + 1, catchUp)
      switch catchUp {
      case .all, .spaced: scene.expect("missed ticks of run \(number + 1)", run.missed, is: 0)
      case .skip, .once:
        let known = ticks(latest, last.ended)
        scene.expect(
          answered >= known, "run \(number + 1) answers for \(known) ticks or more", "\(answered)")
      }
    }
  }

  private static func expect(
    _ scene: Scene, _ run: Run, after last: Run, _ earliest: DispatcherInstant,
    _ latest: DispatcherInstant, _ number: Int, _ catchUp: CatchUp
  ) {
    var due = last.ended
    switch catchUp {
    // A tick came while the last body ran.
    case .once, .all:
      if scene.isSingleThreaded { scene.expect("run \(number)", run.began, is: due) }
    case .spaced: due = due.advanced(by: interval)
    case .skip:
      // The first tick that had not passed, for a timer made at `earliest`.
      due = earliest.advanced(by: interval * (ticks(latest, last.ended) + 1))
      if ticks(earliest, last.ended) > ticks(latest, last.ended) { due = last.ended }
    }
    scene.expect(
      run.began >= due, "run \(number) begins at \(due) or later, \(catchUp)", "\(run.began)")
  }

  /// Lets time pass while a body may be held on another thread. ``Scene/pass(_:fileID:line:)`` would wait for its end.
  private static func letPass(_ duration: Duration, in scene: Scene) throws {
    if scene.isSingleThreaded { return try scene.pass(duration) }
    let alarm = Latch()
    scene.foreground.after(duration) { alarm.open() }
    try scene.reach(alarm, "a timer of the foreground runs")
  }

  /// Checks a timer whose run waits behind other work for some ticks.
  private static func isHeldBack(
    _ scene: Scene, _ queue: TaskQueue, _ catchUp: CatchUp, release: () -> Void
  ) throws {
    let before = scene.dispatcher.ledger.waiting
    let missed = Box<[Int]>([])
    // The least number of owed runs, once it is known.
    let owed = Box(Int.max)
    let ran = Latch()
    let earliest = scene.now
    let timer = queue.every(interval, catchUp: catchUp) {
      let ticks = CurrentTask.missedTicks
      missed.change { $0.append(ticks) }
      if missed.value.count >= owed.value { ran.open() }
    }
    let latest = scene.now
    for _ in 0..<11 { try letPass(interval / 2, in: scene) }

    // The timer and its run.
    scene.expect(
      "what waits, of the timer", scene.dispatcher.ledger.waiting - before, is: 2)
    let known = ticks(latest, scene.now)
    owed.value = catchUp == .all ? known : 1
    release()
    try scene.reach(ran, "it runs for what came")
    timer.cancel()
    // After that no run is made. Read before, the time could miss a tick whose run was made in between.
    let came = ticks(earliest, scene.now)
    try scene.runUntilIdle()

    let runs = missed.value.count
    let late = came - known
    let expected: ClosedRange<Int> =
      switch catchUp {
      case .all: known...(known + late)
      case .skip, .once, .spaced: 1...(1 + late)
      }
    scene.expect(expected.contains(runs), "it has run \(expected) times, \(catchUp)", "\(runs)")
    let told = missed.value.first ?? 0
    switch catchUp {
    case .all, .spaced: scene.expect("ticks without a run", missed.value.max(), is: 0)
    case .skip, .once:
      scene.expect(
        (known - 1...came - 1).contains(told), "\(known - 1) to \(came - 1) ticks got no run",
        "\(told)")
    }
  }
}
