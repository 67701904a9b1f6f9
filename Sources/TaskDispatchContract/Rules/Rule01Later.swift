internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 1. No body runs inside the call that submits it.
  static let later: [Rule] =
    Form.all.map { form in
      Rule(1, "\(form) does not run inside the call that submits it") { scene in
        let queues = form.fitting(scene.makeQueues())
        let ran = Latch(queues.count)
        for queue in queues {
          let call = Call(scene, "\(form) on \(queue)")
          call.make { form.submit(scene, queue, call.body { ran.open() }) }
        }
        if form.isTimed { try scene.pass(Form.delay) }

        try scene.reach(ran, "\(form) runs on each queue")
      }
    } + [
      Rule(1, "a body that a body submits does not run inside it", isObserved: false) { scene in
        let queues = scene.makeQueues()
        let ran = Latch(queues.count * queues.count * 2)

        for outer in queues {
          outer {
            for inner in queues {
              for form in [Form.plain, .handled] {
                let call = Call(scene, "\(form) of \(outer) on \(inner)")
                call.make { form.submit(scene, inner, call.body { ran.open() }) }
              }
            }
          }
        }

        try scene.reach(ran, "every body runs")
      },

      Rule(1, "no body runs inside the resume() that lets it go on") { scene in
        let queue = scene.makeQueue(2)
        let call = Call(scene, "a body of a suspended queue")
        let ran = Latch()
        queue.suspend()
        queue(call.body { ran.open() })

        call.make { queue.resume() }

        try scene.reach(ran, "the body runs")
      },

      Rule(1, "no body runs inside the leave() that it was to be notified of") { scene in
        let group = WorkGroup()
        let call = Call(scene, "a notification")
        let ran = Latch()
        group.enter()
        group.notify(on: scene.foreground, call.body { ran.open() })

        call.make { group.leave() }

        try scene.reach(ran, "the notification runs")
      },

      Rule(1, "no body runs inside the cancel() of another") { scene in
        let queue = scene.makeQueue(1)
        let call = Call(scene, "the body behind a cancelled one")
        let ran = Latch()
        var first: TaskHandle<Void>?
        try scene.hold {
          first = queue.submit(label: "first") {}
          queue(call.body { ran.open() })
          call.make { _ = first?.cancel() }
        }

        try scene.reach(ran, "the other body runs")
      },

      Rule(1, "no body runs inside the call that begins a shutdown") { scene in
        let ran = Latch(2)
        let call = Call(scene, "accepted work")
        scene.foreground(call.body { ran.open() })
        scene.background(call.body { ran.open() })

        call.make { scene.dispatcher.beginShutdown() }

        try scene.end()
        try scene.reach(ran, "accepted work drains")
      },
    ]
}

/// A call that must not run a body on its own thread. Another thread may run it during the call.
private final class Call: Sendable {
  /// The call that the current code is inside of.
  @TaskLocal static var current: Call?

  private let scene: Scene
  private let what: String

  init(_ scene: Scene, _ what: String) {
    self.scene = scene
    self.what = what
  }

  /// Makes the call.
  func make(_ call: () -> Void) {
    Self.$current.withValue(self) { call() }
  }

  /// Makes a body that checks that it does not run inside the call.
  func body(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    return {
      self.scene.expect(
        Self.current !== self, "\(self.what) runs after the call has returned",
        "it ran inside the call")
      work()
    }
  }
}
