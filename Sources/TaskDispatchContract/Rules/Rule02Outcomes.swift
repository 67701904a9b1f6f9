internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 2. Every submission gets exactly one outcome.
  static let outcomes: [Rule] = [
    Rule(2, "a handle has no outcome before its task has ended, and the value afterwards") {
      scene in
      for queue in scene.makeQueues() {
        var handle: TaskHandle<Int>?
        let value = Box<Int?>(nil)
        try scene.hold {
          handle = queue.submit(label: "sum") { 40 + 2 }
          scene.expect("outcome of a task that waits", handle?.outcomeIfFinished, is: nil)
        }
        guard let handle else { return }

        scene.expect("outcome", try scene.outcome(of: handle), is: .completed)
        scene.expect("outcome, asked again", handle.outcomeIfFinished, is: .completed)
        let known = Latch()
        scene.task {
          value.value = try? await handle.value
          known.open()
        }
        try scene.reach(known, "the value can be awaited")
        scene.expect("value", value.value, is: 42)
      }
    },

    Rule(2, "all Tasks that await a task get the same outcome") { scene in
      let outcomes = Box<[Outcome]>([])
      let known = Latch(3)
      let failed = scene.foreground.submit(label: "failed") { throw Oops() }
      for _ in 0..<3 {
        scene.task {
          let outcome = await failed.outcome
          outcomes.change { $0.append(outcome) }
          known.open()
        }
      }

      try scene.reach(known, "three Tasks get the outcome")

      scene.expect(
        "outcomes", outcomes.value, is: Array(repeating: .failed(Oops()), count: 3))
    },

    Rule(2, "run returns the value, or throws what the body threw") { scene in
      for queue in scene.makeQueues() {
        let ended = Latch()
        scene.task {
          let value = try? await queue.run { 7 }
          scene.expect("value of run on \(queue)", value, is: 7)
          do {
            let missing = try await queue.run { Int?.none }
            scene.expect(missing == nil, "run returns a value that is nil")
            try await queue.run { throw Oops() }
            scene.expect(false, "run throws what its body throws")
          } catch {
            scene.expect(error is Oops, "run throws what its body throws", "\(error)")
          }
          ended.open()
        }

        try scene.reach(ended, "run returns")
      }
    },

    Rule(2, "a reply gets the result of its body, and of one that throws the error") { scene in
      for queue in scene.makeQueues() {
        let replied = Latch(2)

        queue.async(
          { 42 },
          then: { result in
            if case .success(let value) = result {
              scene.expect("value", value, is: 42)
            } else {
              scene.expect(false, "the reply gets the value", "\(result)")
            }
            replied.open()
          })
        queue.async(
          { () throws -> Int in throw Oops() },
          then: { result in
            if case .failure(let error) = result, error is Oops {
            } else {
              scene.expect(false, "the reply gets the error", "\(result)")
            }
            replied.open()
          })

        try scene.reach(replied, "both replies run")
      }
    },

    Rule(2, "a task whose time to live has passed expires, and its body never runs") { scene in
      for queue in scene.makeQueues() {
        let handle = Box<TaskHandle<Void>?>(nil)
        let ended = Latch()
        // On one thread, the time passes in a body that runs before the task.
        try scene.hold {
          scene.foreground { scene.spend(.milliseconds(4)) }
          scene.background { scene.spend(.milliseconds(4)) }
          if queue.view != nil { queue.barrier { scene.spend(.milliseconds(4)) } }
          handle.value = queue.submit(label: "late", timeToLive: .milliseconds(2)) {
            scene.note("late")
          }
          queue.barrier { ended.open() }
          if !scene.isSingleThreaded { scene.spend(.milliseconds(4)) }
        }

        try scene.reach(ended, "what stands behind it runs")
        guard let late = handle.value else { return }
        scene.expect("outcome on \(queue)", try scene.outcome(of: late), is: .expired)
      }
      scene.expectNotes([], "an expired body never runs")
    },

    Rule(2, "a task within its time to live runs, and running long is not expiring") { scene in
      for queue in scene.makeQueues() {
        let handle = queue.submit(label: "in time", timeToLive: .seconds(3600)) {
          scene.spend(.milliseconds(2))
        }

        scene.expect("outcome on \(queue)", try scene.outcome(of: handle), is: .completed)
      }
    },

    Rule(2, "a Task that awaits the value of an expired task gets an error that says so") { scene in
      let queue = scene.makeQueue(1)
      let told = Latch()
      let error = Box<(any Error)?>(nil)
      let handle = Box<TaskHandle<Int>?>(nil)
      queue.suspend()
      handle.value = queue.submit(label: "stale", timeToLive: .milliseconds(1)) { 1 }
      try scene.pass(.milliseconds(3))

      queue.resume()
      guard let stale = handle.value else { return }
      scene.task {
        do { _ = try await stale.value } catch let thrown { error.value = thrown }
        told.open()
      }
      try scene.reach(told, "the Task that awaits it goes on")

      let found = error.value as? NoValue
      scene.expect("outcome in the error", found?.outcome, is: .expired)
      scene.expect("label in the error", found?.label, is: "stale")
    },
  ]
}
