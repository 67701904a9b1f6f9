internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 17. A body is released when its outcome is known.
  static let lifetime: [Rule] =
    Form.all.filter { !$0.isJob }.map { form in
      Rule(17, "\(form) is released when it has run") { scene in
        let queues = form.fitting(scene.makeQueues())
        let released = Latch(queues.count)
        let ran = Latch(queues.count)
        for queue in queues { form.submit(scene, queue, body(releasing: released) { ran.open() }) }
        if form.isTimed { try scene.pass(Form.delay) }

        try scene.reach(ran, "it runs on each queue")
        try scene.reach(released, "its body is released")
      }
    }
    + Form.all.filter { !$0.isJob }.map { form in
      Rule(17, "\(form) is released when it is refused") { scene in
        let queues = form.fitting(scene.makeQueues())
        let released = Latch(queues.count)
        try scene.shutDown()

        for queue in queues { form.submit(scene, queue, body(releasing: released)) }

        if form.name == Form.run.name { try scene.runUntilIdle() }
        try scene.reach(released, "its body is released")
      }
    } + [
      Rule(17, "a plain body is released in a dispatcher without an observer", isObserved: false) {
        scene in
        let released = Latch(400)
        for queue in scene.makeQueues() {
          for _ in 0..<100 { queue(body(releasing: released)) }
        }

        try scene.reach(released, "all of them are released")
      },

      Rule(17, "a body that throws is released, though its handle is kept") { scene in
        for queue in scene.makeQueues() {
          let released = Latch()
          let handle = submitThrower(to: queue, releasing: released)

          try scene.reach(released, "its body is released")
          scene.expect("its outcome", try scene.outcome(of: handle), is: .failed(Oops()))
        }
      },

      Rule(17, "a handle keeps no body that has run, was cancelled or has expired") { scene in
        let queue = scene.makeQueue(1)
        let released = Latch(3)
        queue.suspend()
        let handles = [
          queue.submit(body(releasing: released)),
          queue.submit(body(releasing: released)),
          queue.submit(timeToLive: .milliseconds(1), body(releasing: released)),
        ]
        handles[1].cancel()
        try scene.pass(.milliseconds(3))
        queue.resume()

        try scene.reach(released, "all three are released")
        scene.expect(
          "outcomes", try handles.map { try scene.outcome(of: $0) },
          is: [.completed, .cancelled, .expired])
      },

      Rule(17, "a repeating timer is released when it is cancelled, though its handle is kept") {
        scene in
        for queue in scene.makeQueues() {
          let released = Latch()
          let ran = Latch()
          let timer = queue.every(.milliseconds(2), body(releasing: released) { ran.open() })
          try scene.pass(.milliseconds(2))
          try scene.reach(ran, "it runs")
          scene.expect(!released.isOpen, "it is kept for its next run")

          timer.cancel()

          try scene.reach(released, "its body is released")
          withExtendedLifetime(timer) {}
        }
      },

      Rule(17, "a reply is released with a body that never ran") { scene in
        let queue = scene.makeQueue(1)
        let released = Latch(2)
        queue.suspend()
        submitWithReply(to: queue, releasing: released)

        try scene.shutDown()

        scene.expect(released.isOpen, "both are released", "\(released.missing) are left")
      },

      Rule(17, "what a shutdown cancels is released before the report") { scene in
        let queue = scene.makeQueue(1)
        let released = Latch(40)
        queue.suspend()
        for _ in 0..<10 {
          queue(body(releasing: released))
          queue.submit(body(releasing: released))
          queue.after(.seconds(3600), body(releasing: released))
          queue.barrier(body(releasing: released))
        }

        try scene.shutDown()

        scene.expect(released.isOpen, "all of them are released", "\(released.missing) are left")
      },

      Rule(17, "a value is kept by its handle alone") { scene in
        let released = Latch()
        var handle: TaskHandle<Canary>? = scene.background.submit { Canary(released) }
        if let handle { _ = try scene.outcome(of: handle) }
        try scene.runUntilIdle()
        scene.expect(!released.isOpen, "the handle keeps it")

        handle = nil

        try scene.reach(released, "it is released with the handle")
      },
    ]

  private static func submitThrower(
    to queue: TaskQueue, releasing latch: Latch
  ) -> TaskHandle<Void> {
    let canary = Canary(latch)
    return queue.submit {
      try withExtendedLifetime(canary) { throw Oops() }
    }
  }

  private static func submitWithReply(to queue: TaskQueue, releasing latch: Latch) {
    let asked = Canary(latch)
    let reply = Canary(latch)
    queue.async({ withExtendedLifetime(asked) {} }, then: { _ in withExtendedLifetime(reply) {} })
  }
}
