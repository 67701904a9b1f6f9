internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 9. Before the start, the body never runs. After it, a flag tells the body. Each call says which it was.
  static let cancelling: [Rule] = [
    Rule(9, "a body that has not started never runs once it is cancelled") { scene in
      for queue in scene.makeQueues() {
        var handle: TaskHandle<Void>?
        let behind = Latch()
        try scene.hold {
          handle = queue.submit { scene.note("\(queue)") }
          queue.barrier { behind.open() }
          scene.expect("the answer on \(queue)", handle?.cancel(), is: .beforeStart)
          scene.expect("its outcome at once", handle?.outcomeIfFinished, is: .cancelled)
        }

        try scene.reach(behind, "what stands behind it runs")
        try scene.runUntilIdle()
      }
      scene.expectNotes([], "a cancelled body never runs")
    },

    Rule(9, "a body that has started sees the flag, and decides itself") { scene in
      for queue in scene.makeQueues() {
        let handle = Box<TaskHandle<Int>?>(nil)
        let answer = Box<Cancellation?>(nil)
        try scene.hold {
          handle.value = queue.submit {
            scene.expect("the flag before", CurrentTask.isCancelled, is: false)
            answer.value = handle.value?.cancel()
            scene.expect("the flag afterwards", CurrentTask.isCancelled, is: true)
            return 42
          }
        }
        guard let handle = handle.value else { return }

        scene.expect("its outcome on \(queue)", try scene.outcome(of: handle), is: .completed)
        scene.expect("the answer", answer.value, is: .requested)
      }
    },

    Rule(9, "a body can cancel its own task, which it holds no handle of") { scene in
      for queue in scene.makeQueues() {
        let handle = queue.submit {
          scene.expect("the flag before", CurrentTask.isCancelled, is: false)
          scene.expect("whether there is something to cancel", CurrentTask.cancel(), is: true)
          scene.expect("the flag afterwards", CurrentTask.isCancelled, is: true)
          return 42
        }

        scene.expect("its outcome on \(queue)", try scene.outcome(of: handle), is: .completed)
        scene.expect("the answer of its handle", handle.cancel(), is: .tooLate)
      }
      scene.expect("whether there is something outside", CurrentTask.cancel(), is: false)
    },

    Rule(9, "a body that waits sees that another has cancelled it") { scene in
      let handle = Box<TaskHandle<Void>?>(nil)
      let answers = Box<[Cancellation?]>([])
      let other = scene.makeQueue(1)
      try scene.hold {
        handle.value = scene.background.submit {
          let canceller = other.submit {
            answers.change { [handle] in $0.append(handle.value?.cancel()) }
            answers.change { [handle] in $0.append(handle.value?.cancel()) }
            scene.expect("the flag in the other task", CurrentTask.isCancelled, is: false)
          }
          scene.expectNoThrow("waiting for another view") {
            _ = try canceller.wait(timeout: scene.timeout)
          }
          scene.expect("the flag", CurrentTask.isCancelled, is: true)
        }
      }
      guard let handle = handle.value else { return }

      scene.expect("its outcome", try scene.outcome(of: handle), is: .completed)
      scene.expect("the answers", answers.value, is: [.requested, .requested])
    },

    Rule(9, "after the end, and for a second cancellation, it is too late") { scene in
      for queue in scene.makeQueues() {
        let ended = queue.submit {}
        let outcome = try scene.outcome(of: ended)
        var cancelled: TaskHandle<Void>?
        try scene.hold {
          cancelled = queue.submit {}
          cancelled?.cancel()
          scene.expect("a second answer", cancelled?.cancel(), is: .tooLate)
        }

        scene.expect("the answer after the end", ended.cancel(), is: .tooLate)
        scene.expect("its outcome afterwards", ended.outcomeIfFinished, is: outcome)
      }
    },

    Rule(9, "a cancelled body is released at once, wherever it stands") { scene in
      for queue in scene.makeQueues() {
        let released = Latch(30)
        try scene.hold {
          let handles = (0..<30).map { _ in queue.submit(body(releasing: released)) }
          for (number, handle) in handles.enumerated().reversed() {
            handle.cancel()
            scene.expect("bodies left on \(queue)", released.missing, is: number)
          }
        }
      }
    },

    Rule(9, "two thousand cancelled bodies leave nothing in the queue") { scene in
      let queue = scene.makeQueue(1)
      let released = Latch(2000)
      let ran = Latch(20)
      queue.suspend()
      for round in 0..<20 {
        let handles = (0..<100).map { _ in queue.submit(body(releasing: released)) }
        queue { ran.open() }
        for number in 0..<100 { handles[(number * 37) % 100].cancel() }
        scene.expect(
          "waiting after round \(round)", scene.dispatcher.ledger.waiting, is: round + 1)
      }
      scene.expect(released.isOpen, "every body is released", "\(released.missing) are left")

      queue.resume()

      try scene.reach(ran, "those that were not cancelled run")
      scene.expect("cancelled", scene.dispatcher.ledger.cancelled, is: 2000)
    },

    Rule(9, "a cancelled barrier holds nothing back") { scene in
      let queue = scene.makeQueue(2)
      let ran = Latch(2)
      try scene.hold {
        queue { ran.open() }
        let barrier = queue.barrier.submit { scene.note("barrier") }
        queue { ran.open() }
        scene.expect("the answer", barrier.cancel(), is: .beforeStart)
      }

      try scene.reach(ran, "those around it run")
      scene.expectNotes([], "a cancelled barrier never runs")
    },

    Rule(9, "a body behind a barrier can be cancelled") { scene in
      let queue = scene.makeQueue(2)
      let released = Latch()
      let ran = Latch(2)
      try scene.hold {
        queue.barrier { ran.open() }
        let behind = queue.submit(body(releasing: released) { scene.note("behind") })
        queue.barrier { ran.open() }
        scene.expect("the answer", behind.cancel(), is: .beforeStart)
        scene.expect(released.isOpen, "its body is released at once")
      }

      try scene.reach(ran, "the barriers run")
      scene.expectNotes([], "a cancelled body never runs")
    },

    Rule(9, "a body of a suspended queue can be cancelled") { scene in
      let queue = scene.makeQueue(2)
      queue.suspend()
      let handle = queue.submit { scene.note("ran") }

      scene.expect("the answer", handle.cancel(), is: .beforeStart)

      queue.resume()
      try scene.runUntilIdle()
      scene.expectNotes([], "a cancelled body never runs")
    },

    Rule(9, "cancelling the Task that awaits run cancels a body that has not started") { scene in
      for queue in [scene.makeQueue(1), scene.makeQueue(2)] {
        let ended = Latch()
        queue.suspend()
        let task = scene.task {
          do {
            try await queue.run { scene.note("ran") }
            scene.expect(false, "run throws CancellationError", "it returned")
          } catch {
            scene.expect(error is CancellationError, "run throws CancellationError", "\(error)")
          }
          ended.open()
        }
        try scene.runUntilIdle()

        task.cancel()

        try scene.reach(ended, "run returns although the queue is suspended")
        queue.resume()
        try scene.runUntilIdle()
      }
      scene.expectNotes([], "a cancelled body never runs")
    },

    Rule(9, "cancelling the Task that awaits run raises the flag of a body that has") { scene in
      let task = Box<Task<Void, Never>?>(nil)
      let ended = Latch()
      let queue = scene.makeQueue(1)
      queue.suspend()
      task.value = scene.task {
        let seen = try? await queue.run { () -> Bool in
          task.value?.cancel()
          return CurrentTask.isCancelled
        }
        scene.expect("what the body returned", seen, is: true)
        ended.open()
      }
      try scene.runUntilIdle()

      queue.resume()

      try scene.reach(ended, "run returns what its body returned")
    },

    Rule(9, "a cancellation that races the start says what has come of it", needs: .threads) {
      scene in
      try scene.start()
      for queue in scene.makeQueues() {
        for _ in 0..<500 {
          let runs = Box(0)
          let handle = queue.submit { runs.increment() }
          let answer = handle.cancel()
          let outcome = try scene.outcome(of: handle)
          scene.expect(
            "runs after the answer \(answer) on \(queue)", runs.value,
            is: answer == .beforeStart ? 0 : 1)
          scene.expect(
            "outcome after the answer \(answer)", outcome,
            is: answer == .beforeStart ? .cancelled : .completed)
        }
      }
    },
  ]
}
