import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Snapshots against posts, starts, ends and shutdowns.
  static let snapshots: [Program] = [
    Program("snapshot of the lanes", "posts, items, and snapshots", threads: 3, calls: 6) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      scene.thread("poster") {
        dispatcher.background(scene.body("posted"))
        dispatcher.foreground(scene.body("loop"))
        dispatcher.background.submit(scene.body("item"))
      }
      scene.checkSnapshots(of: dispatcher, count: 3)
    },
    Program(
      "snapshot of queues", "posts to full, ready and suspended queues, and snapshots", threads: 3,
      calls: 7
    ) { scene in
      let dispatcher = scene.dispatcher(width: 1)
      let queues = (0..<2).map { dispatcher.makeQueue(label: "\($0)", width: 1) }
      scene.thread("poster") {
        for number in 0..<2 {
          for (index, queue) in queues.enumerated() { queue(scene.body("\(index) \(number)")) }
        }
      }
      scene.checkSnapshots(of: dispatcher, count: 2)
      queues[1].suspend()
      scene.checkSnapshots(of: dispatcher, count: 1)
      queues[1].resume()
    },
    Program(
      "snapshot and shutdown", "a shutdown that gives up a body, and snapshots", threads: 3,
      calls: 5
    ) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let (isInside, gate) = (Gate(), Gate())
      dispatcher.background(
        scene.body("stuck") {
          isInside.open()
          gate.wait()
        })
      isInside.wait()
      let late = scene.body("late")
      scene.leaveOpen("late")
      scene.thread("poster") { scene.expect("late", dispatcher.background(late)) }
      dispatcher.beginShutdown(ShutdownPolicy(drain: .milliseconds(1), cancel: .zero))
      scene.checkSnapshots(of: dispatcher, count: 2)
      gate.open()
    },
  ]
}

extension Scene {
  /// Takes snapshots one after the other. Each counts everything once, and no count goes down.
  fileprivate func checkSnapshots(of dispatcher: UVDispatcher, count: Int) {
    var before = Ledger()
    for _ in 0..<count {
      let snapshot = dispatcher.snapshot()
      let ledger = snapshot.ledger
      check(ledger.balances, "the ledger does not balance: \(snapshot)")
      check(ledger.accepted >= before.accepted, "it forgets submissions: \(before), \(ledger)")
      check(ledger.ended >= before.ended, "it forgets ends: \(before), \(ledger)")
      let inQueues = snapshot.queues.map { queue in
        let counts = queue.counts
        return queue.waiting + queue.running + counts.completed + counts.failed
          + counts.cancelled + counts.abandoned
      }
      // A body that was given up is counted as such, and still runs.
      let abandoned = snapshot.running.count { $0.isAbandoned }
      check(
        inQueues.reduce(0, +) == ledger.accepted + abandoned,
        "queues and ledger differ: \(snapshot)")
      before = ledger
    }
  }
}
