internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 2. Accepted work runs exactly once.
  static let once: [Rule] =
    Form.all.map { form in
      Rule(2, "\(form) runs exactly once, on each queue") { scene in
        try runsOnce(form, scene)
      }
    }
    + [Form.plain, .handled].map { form in
      Rule(2, "\(form) runs exactly once without an observer", isObserved: false) { scene in
        try runsOnce(form, scene)
      }
    } + [
      Rule(2, "a thousand bodies run exactly once each") { scene in
        let queues = scene.makeQueues()
        let runs = Box(Array(repeating: 0, count: queues.count * 250))
        let ran = Latch(runs.value.count)

        for (number, queue) in queues.enumerated() {
          for task in 0..<250 {
            queue {
              runs.change { $0[number * 250 + task] += 1 }
              ran.open()
            }
          }
        }
        try scene.reach(ran, "every body runs")
        try scene.runUntilIdle()

        scene.expect("runs that were not the only one", runs.value.count { $0 != 1 }, is: 0)
      },

      Rule(2, "what many threads submit at once runs exactly once each", needs: .threads) { scene in
        let queues = scene.makeQueues()
        let sum = Box(0)
        let ran = Latch(4 * 1000 * queues.count)
        let helpers = (0..<3).map { _ in scene.background.submit(label: "poster") { post() } }
        @Sendable func post() {
          for number in 0..<1000 {
            for queue in queues {
              queue {
                sum.change { $0 += number }
                ran.open()
              }
            }
          }
        }

        post()
        for helper in helpers {
          scene.expect("outcome of a poster", try scene.outcome(of: helper), is: .completed)
        }
        try scene.reach(ran, "every body runs")
        try scene.runUntilIdle()

        scene.expect("sum of all bodies", sum.value, is: 4 * queues.count * 1000 * 999 / 2)
      },

      Rule(2, "a body that throws has failed, and disturbs no other") { scene in
        for queue in scene.makeQueues() {
          let before = queue.submit(label: "before") { scene.note("before") }
          let thrower = queue.submit(label: "thrower") { throw Oops() }
          let after = queue.submit(label: "after") { scene.note("after") }

          let outcome = try scene.outcome(of: thrower)

          scene.expect("outcome of a body that throws", outcome, is: .failed(Oops()))
          scene.expect("outcome before it", try scene.outcome(of: before), is: .completed)
          scene.expect("outcome after it", try scene.outcome(of: after), is: .completed)
        }
      },
    ]

  private static func runsOnce(_ form: Form, _ scene: Scene) throws {
    let queues = form.fitting(scene.makeQueues())
    let runs = Box(0)
    let ran = Latch(queues.count)

    for queue in queues {
      form.submit(scene, queue) {
        runs.increment()
        ran.open()
      }
    }
    if form.isTimed { try scene.pass(Form.delay) }
    try scene.reach(ran, "\(form) runs on each queue")
    if form.isTimed { try scene.pass(Form.delay * 3) }
    try scene.runUntilIdle()

    scene.expect("runs on \(queues.count) queues", runs.value, is: queues.count)
  }
}

/// Thrown by bodies that must fail.
struct Oops: Error {}
