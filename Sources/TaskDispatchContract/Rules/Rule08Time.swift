internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 8. No timer runs early. Due tasks run by deadline, then by submission.
  static let time: [Rule] = [
    Rule(8, "no timer runs before its time, on any queue") { scene in
      let queues = scene.makeQueues()
      let ran = Latch(queues.count * 5)
      for queue in queues {
        for delay in [1, 2, 3, 5, 8].map({ Duration.milliseconds($0) }) {
          let due = scene.now.advanced(by: delay)
          queue.after(delay) {
            scene.expect(
              scene.now >= due, "a timer of \(delay.exactText) on \(queue) runs at \(due) or later",
              "\(scene.now)")
            ran.open()
          }
        }
      }

      for _ in 0..<9 { try scene.pass(.milliseconds(1)) }
      try scene.reach(ran, "all of them run")
    },

    Rule(8, "timers with a tolerance run, and not early") { scene in
      let ran = Latch(3)
      for tolerance in [Duration.milliseconds(3), .zero, .milliseconds(-1)] {
        let due = scene.now.advanced(by: .milliseconds(2))
        scene.foreground.after(.milliseconds(2), tolerance: tolerance) {
          scene.expect(scene.now >= due, "it runs at \(due) or later", "\(scene.now)")
          ran.open()
        }
      }

      for _ in 0..<6 { try scene.pass(.milliseconds(1)) }
      try scene.reach(ran, "all of them run")
    },

    Rule(8, "timers that are due together run by deadline", width: 1) { scene in
      for queue in [scene.foreground, scene.background, scene.makeQueue(1)] {
        let order = Box<[Int]>([])
        let ran = Latch(4)
        scene.foreground {
          for delay in [30, 10, 20, 10] {
            queue.after(.milliseconds(delay)) {
              order.change { $0.append(delay) }
              ran.open()
            }
          }
          scene.spend(.milliseconds(40))
        }

        try scene.reach(ran, "all of them run")
        scene.expect("order on \(queue)", order.value, is: [10, 10, 20, 30])
      }
    },

    Rule(8, "timers with one deadline run in the order of submission", width: 1) { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let order = Box<[Int]>([])
        let ran = Latch(20)
        scene.foreground {
          for number in 0..<20 {
            // If the clock moves between two of these submissions, the order follows from the deadlines.
            queue.after(.milliseconds(5)) {
              order.change { $0.append(number) }
              ran.open()
            }
          }
          scene.spend(.milliseconds(10))
        }

        try scene.reach(ran, "all of them run")
        scene.expect("order on \(queue)", order.value, is: Array(0..<20))
      }
    },

    Rule(8, "no delay, and a negative one, is a posted task") { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let ran = Latch(4)
        try scene.hold {
          for (number, delay) in [nil, Duration.zero, nil, .seconds(-5)].enumerated() {
            let body: @Sendable () -> Void = {
              scene.note("\(queue) \(number)")
              ran.open()
            }
            if let delay { queue.after(delay, body) } else { queue(body) }
          }
        }

        try scene.reach(ran, "all of them run without a wait")
        scene.expect(
          "order on \(queue)", scene.notes.suffix(4), is: (0..<4).map { "\(queue) \($0)" }[...])
      }
    },

    Rule(8, "a delay beyond all bounds is never due, and can be cancelled") { scene in
      for queue in scene.makeQueues() {
        let timers = [Duration.seconds(Int64.max), .seconds(300 * 365 * 86_400)].map { delay in
          queue.after(delay) { scene.note("\(queue), after \(delay.exactText)") }
        }
        let repeating = queue.every(.seconds(Int64.max)) { scene.note("\(queue), repeating") }
        try scene.pass(.milliseconds(5))

        scene.expectNotes([], "it is never due")
        for timer in timers + [repeating] {
          scene.expect("cancelling it", timer.cancel(), is: .beforeStart)
        }
      }
    },

    Rule(8, "the clock never goes back") { scene in
      let last = Box(scene.now)
      let ran = Latch(30)
      @Sendable func look() {
        let before = last.value
        let now = scene.now
        scene.expect(now >= before, "the clock is at \(before) or later", "\(now)")
        last.value = now
        ran.open()
      }
      for number in 0..<10 {
        scene.foreground(look)
        scene.foreground.after(.milliseconds(number), look)
        scene.foreground {
          scene.spend(.microseconds(300))
          look()
        }
      }

      try scene.pass(.milliseconds(10))
      try scene.reach(ran, "all of them run")
    },

    Rule(8, "a sleep on the clock does not end early, and a past one ends") { scene in
      let ended = Latch(3)
      for delay in [Duration.milliseconds(3), .zero, .seconds(-1)] {
        let due = scene.now.advanced(by: delay)
        scene.task {
          scene.expectNoThrow("starting to sleep") {}
          do { try await scene.dispatcher.clock.sleep(until: due) } catch {
            scene.expect(false, "the sleep is not cancelled", "\(error)")
          }
          scene.expect(scene.now >= due, "a sleep ends at \(due) or later", "\(scene.now)")
          ended.open()
        }
      }

      try scene.runUntilIdle()
      try scene.pass(.milliseconds(3))
      try scene.reach(ended, "the sleepers go on")
    },

    Rule(8, "a timer whose time has come still waits for its queue") { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch()
      queue.suspend()
      queue.after(.milliseconds(1)) {
        scene.note("ran")
        ran.open()
      }
      try scene.pass(.milliseconds(3))
      scene.expectNotes([], "its queue is suspended")

      queue.resume()

      try scene.reach(ran, "the timer runs")
    },

    Rule(8, "the time to live of a timer begins when it is due") { scene in
      let queue = scene.makeQueue(1)
      let ran = Latch()
      queue.after(.milliseconds(5), timeToLive: .seconds(3600)) { ran.open() }
      queue.after(.milliseconds(1), timeToLive: .milliseconds(1)) { scene.note("expired") }
      queue.suspend()
      try scene.pass(.milliseconds(6))

      queue.resume()

      try scene.reach(ran, "the one with time left runs")
      try scene.runUntilIdle()
      scene.expectNotes([], "the other has waited in its queue for too long")
      scene.expect("expired", scene.dispatcher.ledger.expired, is: 1)
    },
  ]
}
