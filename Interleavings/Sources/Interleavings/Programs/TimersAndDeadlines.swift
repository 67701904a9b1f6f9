import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Timers, and shutdowns whose deadlines matter.
  static let timersAndDeadlines: [Program] = [
    Program("timer after a timer", "a timer, once another has come due", threads: 1, calls: 2) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let late = scene.body("late")
      dispatcher.foreground.after(.milliseconds(5), scene.body("early"))
      scene.sleep(.milliseconds(20))
      dispatcher.foreground.after(.milliseconds(5), late)
      scene.sleep(.milliseconds(50))
    },
    Program(
      "repeating timer cancels itself", "a body that cancels its repeating timer", threads: 1,
      calls: 3
    ) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let (count, held) = (Box(0), Box<TimerHandle?>(nil))
      held.value = dispatcher.foreground.every(.milliseconds(5)) {
        count.value += 1
        if count.value == 1 { _ = held.value?.cancel() }
      }
      scene.sleep(.milliseconds(60))
      scene.check(count.value == 1, "a cancelled timer has run \(count.value) times")
      scene.check(held.value?.outcomeIfFinished != nil, "a cancelled timer has no outcome")
      _ = held.value?.cancel()
      held.value = nil
    },
    Program(
      "repeating timer on the pool", "a repeating timer, and a loop that sleeps", threads: 1,
      calls: 2
    ) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let count = Box(0)
      let handle = dispatcher.background.every(.milliseconds(5)) { count.value += 1 }
      scene.sleep(.milliseconds(60))
      scene.check(count.value >= 3, "a timer has run \(count.value) times")
      _ = handle.cancel()
    },
    endsItsTimer("repeating timer and shutdown", "a shutdown", by: ShutdownPolicy()),
    endsItsTimer(
      "run that is abandoned", "deadlines that pass", by: .short, opens: false),
    Program(
      "timer cancels the next", "two due timers, and the first cancels the second", threads: 1,
      calls: 4
    ) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let held = Box<TimerHandle?>(nil)
      let (first, second) = (
        scene.body("canceller") {
          let answer = held.value!.cancel()
          scene.check(answer == .beforeStart, "it has not begun")
          scene.expect("second", answer)
        }, scene.body("second")
      )
      let gate = scene.occupy(dispatcher.foreground)
      dispatcher.foreground.after(.milliseconds(5)) { first() }
      held.value = dispatcher.foreground.after(.milliseconds(6)) { second() }
      scene.sleep(.milliseconds(20))
      gate.open()
      scene.sleep(.milliseconds(20))
      held.value = nil
    },
    Program("due timer and shutdown", "a timer that is due, and a shutdown", threads: 1, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let gate = scene.occupy(dispatcher.foreground)
      dispatcher.foreground.after(.milliseconds(5), scene.body("timer"))
      scene.sleep(.milliseconds(20))
      dispatcher.beginShutdown(ShutdownPolicy())
      gate.open()
    },
    Program(
      "notification after the end", "a group that is empty once the shutdown is over", threads: 1,
      calls: 4
    ) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let group = WorkGroup()
      group.enter()
      let body = scene.body("notification")
      group.notify(on: dispatcher.background, body)
      scene.expect("notification", Cancellation.beforeStart)
      dispatcher.beginShutdown(ShutdownPolicy())
      scene.simulation.quiesce()
      scene.check(dispatcher.report != nil, "no report")
      group.leave()
    },
    Program("post after the beginning", "a post from outside during a drain", threads: 1, calls: 3)
    {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let gate = scene.occupy(dispatcher.background)
      dispatcher.beginShutdown(ShutdownPolicy())
      let second = scene.body("second")
      let answer = dispatcher.background(second)
      scene.expect("second", answer)
      scene.check(answer != .accepted, "accepted after the beginning of a shutdown")
      gate.open()
    },
    Program("two late jobs", "jobs after the end", threads: 2, calls: 2) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      dispatcher.beginShutdown(ShutdownPolicy())
      scene.simulation.quiesce()
      for name in ["first", "second"] {
        let body = scene.body(name)
        Task(executorPreference: dispatcher.foreground.executor) { body() }
        scene.simulation.quiesce()
        scene.check(scene.ran(name) == 1, "a late job does not run")
      }
    },
    Program(
      "run under a limit, and shutdown", "a Task that awaits room, and a shutdown", threads: 2,
      calls: 5
    ) {
      scene in
      let dispatcher = scene.dispatcher(width: 1, starts: true, overflow: .reject(limit: 1))
      let gate = scene.occupy(dispatcher.background)
      dispatcher.background(scene.body("second"))
      scene.leaveOpen("second")
      Task(executorPreference: dispatcher.foreground.executor) {
        try? await dispatcher.background.run {}
      }
      scene.simulation.quiesce()
      dispatcher.beginShutdown(ShutdownPolicy())
      gate.open()
    },
    Program("shorter deadline", "a second shutdown with an earlier deadline", threads: 1, calls: 3)
    {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let gate = scene.occupy(dispatcher.foreground)
      dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(10), cancel: .seconds(10)))
      dispatcher.beginShutdown(.short)
      scene.sleep(.milliseconds(500))
      scene.check(dispatcher.report != nil, "no report at the deadline")
      gate.open()
    },
    Program("flush and deadline", "a flush of a body that is abandoned", threads: 2, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let gate = scene.occupy(dispatcher.background)
      let resumed = scene.body("resumed")
      Task(executorPreference: dispatcher.foreground.executor) {
        await dispatcher.background.flush()
        resumed()
      }
      scene.simulation.quiesce()
      dispatcher.beginShutdown(.short)
      scene.sleep(.milliseconds(500))
      scene.check(scene.ran("resumed") == 1, "a flush does not end with the abandonment")
      gate.open()
    },
    Program(
      "late job after an abandoned body", "a body that is abandoned and ends, and a job",
      threads: 2, calls: 3
    ) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let gate = scene.occupy(dispatcher.foreground)
      dispatcher.beginShutdown(.short)
      scene.sleep(.milliseconds(500))
      scene.check(dispatcher.report != nil, "no report")
      gate.open()
      scene.simulation.quiesce()
      let body = scene.body("late")
      Task(executorPreference: dispatcher.foreground.executor) { body() }
      scene.simulation.quiesce()
      scene.check(scene.ran("late") == 1, "a late job does not run")
    },
  ]

  /// A shutdown while a run of a repeating timer is in its body.
  ///
  /// - Parameter opens: Whether the body ends before the shutdown does.
  private static func endsItsTimer(
    _ name: String, _ what: String, by policy: ShutdownPolicy, opens: Bool = true
  ) -> Program {
    Program(name, "a run of a repeating timer, and \(what)", threads: 1, calls: 3) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let (isInside, gate) = (Gate(), Gate())
      let handle = dispatcher.background.every(.milliseconds(5)) {
        isInside.open()
        gate.wait()
      }
      isInside.wait()
      dispatcher.beginShutdown(policy)
      if opens { gate.open() }
      scene.sleep(.milliseconds(500))
      scene.check(dispatcher.report != nil, "the shutdown has no report")
      scene.check(handle.outcomeIfFinished != nil, "the timer has no outcome")
      gate.open()
    }
  }
}

extension ShutdownPolicy {
  /// Deadlines that pass while a body is held.
  fileprivate static let short = ShutdownPolicy(drain: .milliseconds(5), cancel: .milliseconds(5))
}
