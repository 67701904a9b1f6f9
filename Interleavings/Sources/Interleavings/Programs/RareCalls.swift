import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Calls that the other programs do not make: time-outs, groups by hand, barriers by sync, nested suspension.
  static let rareCalls: [Program] = [
    Program(
      "cancelled barrier, and a sync", "a caller of sync behind a barrier that is cancelled",
      threads: 2, calls: 5
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "wide", width: 2)
      let gate = scene.occupy(queue)
      let barrier = scene.body("barrier")
      let handle = queue.barrier.submit { barrier() }
      let body = scene.body("sync")
      scene.thread("caller") { try? queue.sync(body) }
      scene.simulation.quiesce()
      scene.expect("barrier", handle.cancel())
      scene.simulation.quiesce()
      scene.check(scene.ran("sync") == 1, "the caller is not admitted")
      gate.open()
    },
    Program("barrier sync", "a barrier by sync, and a body that runs", threads: 2, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "wide", width: 2)
      let gate = scene.occupy(queue)
      let isOpen = Box(false)
      let body = scene.body("barrier") { scene.check(isOpen.value, "a barrier is not alone") }
      scene.thread("caller") { try? queue.barrier.sync(body) }
      scene.simulation.quiesce()
      isOpen.value = true
      gate.open()
    },
    Program(
      "until idle, and a sync", "a loop that ends when idle, and a caller of sync", threads: 2,
      calls: 3
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let body = scene.body("sync")
      dispatcher.foreground(scene.body("early"))
      scene.thread("caller") { try? dispatcher.background.sync(body) }
      dispatcher.runUntilIdle(servesMainQueue: false)
    },
    Program("wait with a time-out", "a wait that ends by its time-out", threads: 2, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher(width: 1)
      let gate = scene.occupy(dispatcher.background)
      let behind = scene.body("behind")
      let handle = dispatcher.background.submit { behind() }
      let ended = scene.body("timed out")
      scene.thread("waiter") {
        do { _ = try handle.wait(timeout: .milliseconds(5)) } catch { ended() }
      }
      scene.sleep(.milliseconds(50))
      scene.check(scene.ran("timed out") == 1, "a wait does not time out")
      gate.open()
    },
    Program(
      "wait after a refusal", "a wait that is refused, and one that must not be", threads: 1,
      calls: 7
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (gate, behind, other) = (Gate(), Box<TaskHandle<Void>?>(nil), scene.body("other"))
      queue(
        scene.body("waiter") {
          gate.wait()
          do {
            try behind.value!.wait()
            scene.check(false, "a task has waited for one behind it")
          } catch {}
          let handle = dispatcher.background.submit { other() }
          do { try handle.wait() } catch { scene.check(false, "the wait has thrown \(error)") }
        })
      behind.value = queue.submit(scene.body("behind"))
      gate.open()
    },
    Program("cancel gives room", "a cancellation under a limit, and a post", threads: 1, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher(width: 1, overflow: .reject(limit: 1))
      let gate = scene.occupy(dispatcher.background)
      let second = scene.body("second")
      let handle = dispatcher.background.submit { second() }
      scene.expect("second", handle.cancel())
      scene.check(dispatcher.background(scene.body("third")) == .accepted, "there is room")
      gate.open()
    },
    Program("group by hand", "a callback of a group that is used twice", threads: 1, calls: 5) {
      scene in
      let group = WorkGroup()
      group.enter()
      group.whenEmpty(scene.body("callback"))
      group.leave()
      group.enter()
      group.leave()
    },
    Program(
      "leave by hand", "a group that is left by hand, and a wait that is refused then", threads: 1,
      calls: 7
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let group = WorkGroup()
      group.enter()
      let (behind, refused, gate) = (scene.body("behind"), scene.body("refused"), Gate())
      queue(
        scene.body("waiter") {
          gate.wait()
          do { try group.wait() } catch { refused() }
        })
      queue.async(group: group, behind)
      gate.open()
      scene.simulation.quiesce()
      group.leave()
    },
    Program(
      "group used again", "a callback that enters its group, and a wait", threads: 2, calls: 6
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let (group, gate) = (WorkGroup(), Gate())
      dispatcher.background.async(group: group, scene.body("member") { gate.wait() })
      group.whenEmpty { group.enter() }
      let passed = scene.body("passed")
      scene.thread("waiter") {
        try? group.wait()
        passed()
      }
      scene.simulation.quiesce()
      gate.open()
      scene.simulation.quiesce()
      scene.check(scene.ran("passed") == 1, "the group has been empty, and a thread waits")
      group.leave()
    },
    Program("flag of a cancellation", "a cancellation of a body that runs", threads: 1, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher()
      let (isInside, gate, seen) = (Gate(), Gate(), Box(false))
      let handle = dispatcher.background.submit {
        isInside.open()
        gate.wait()
        seen.value = CurrentTask.isCancelled
      }
      isInside.wait()
      scene.check(handle.cancel() == .requested, "it runs")
      gate.open()
      scene.simulation.quiesce()
      scene.check(seen.value, "the body does not see its cancellation")
    },
    Program(
      "cancel what a thread waits for", "a wait, and a cancellation by another thread", threads: 2,
      calls: 4
    ) {
      scene in
      let dispatcher = scene.dispatcher(width: 1)
      let gate = scene.occupy(dispatcher.background)
      let second = scene.body("second")
      let handle = dispatcher.background.submit { second() }
      let passed = scene.body("passed")
      scene.thread("waiter") {
        _ = try? handle.wait()
        passed()
      }
      scene.simulation.quiesce()
      scene.expect("second", handle.cancel())
      scene.simulation.quiesce()
      scene.check(scene.ran("passed") == 1, "a thread waits for what is cancelled")
      gate.open()
    },
    Program(
      "cancel in a suspended queue", "two cancellations in a suspended queue, and a post",
      threads: 1, calls: 8
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      queue.suspend()
      let (first, second) = (scene.body("one"), scene.body("two"))
      let handle = queue.submit { first() }
      let urgent = scene.body("urgent")
      scene.simulation.quiesce()
      let high = queue.submit(priority: .high) { urgent() }
      scene.simulation.quiesce()
      queue(second)
      scene.expect("one", handle.cancel())
      scene.expect("urgent", high.cancel())
      queue.resume()
    },
    Program(
      "waits of a body elsewhere", "a body that waits for tasks of another dispatcher", threads: 1,
      calls: 3
    ) {
      scene in
      scene.simulation.setPoolThreads(2)
      let (one, other) = (scene.dispatcher(), scene.dispatcher())
      one.background(
        scene.body("body") {
          for _ in 0..<2 {
            let handle = other.background.submit {}
            do { try handle.wait() } catch { scene.check(false, "\(error)") }
          }
        })
    },
    Program(
      "wait after a nested sync", "a sync inside a body, and a wait that must be refused",
      threads: 1, calls: 7
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let (left, right) = (
        dispatcher.makeQueue(label: "left", width: 1),
        dispatcher.makeQueue(label: "right", width: 1)
      )
      let behind = Box<TaskHandle<Void>?>(nil)
      let (isReady, refused) = (Gate(), scene.body("refused"))
      left(
        scene.body("waiter") {
          try? right.sync {}
          isReady.wait()
          do { try behind.value!.wait() } catch { refused() }
        })
      behind.value = left.submit(scene.body("behind"))
      isReady.open()
    },
    Program(
      "body suspends its queue", "a body that suspends its queue, and the task behind", threads: 1,
      calls: 6
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let gate = scene.occupy(queue)
      queue(scene.body("one") { queue.suspend() })
      queue(scene.body("two"))
      gate.open()
      scene.simulation.quiesce()
      scene.check(scene.ran("two") == 0, "a suspended queue runs")
      queue.resume()
    },
    Program(
      "two dispatchers, three gates", "two dispatchers whose bodies hold threads, and posts",
      threads: 1, calls: 8
    ) {
      scene in
      let (left, right) = (scene.dispatcher(), scene.dispatcher())
      let (first, second) = (Gate(), Gate())
      left.background(scene.body("one") { first.wait() })
      right.background(scene.body("two") { second.wait() })
      left.background(scene.body("three"))
      scene.simulation.quiesce()
      first.open()
      scene.simulation.quiesce()
      left.background(scene.body("four"))
      scene.simulation.quiesce()
      second.open()
      scene.simulation.quiesce()
      left.background(scene.body("five"))
      right.background(scene.body("six"))
    },
    Program(
      "resume with a caller", "a caller of sync in a queue that is resumed", threads: 2, calls: 4
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      queue.suspend()
      let body = scene.body("sync")
      scene.thread("caller") { try? queue.sync(body) }
      scene.simulation.quiesce()
      queue.resume()
    },
    Program(
      "suspended twice", "a queue that is suspended twice and resumed once", threads: 1, calls: 6
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      queue.suspend()
      queue.suspend()
      queue(scene.body("post"))
      queue.resume()
      scene.simulation.quiesce()
      scene.check(scene.ran("post") == 0, "a suspended queue runs")
      queue.resume()
    },
  ]
}
