import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Reports of stalls come in order")
  struct StallOrderTests {
    @Test("if a body ends while the watchdog reports that it goes on")
    func endDuringReport() throws {
      let dispatcher = try UVDispatcher(
        .init(backgroundWidth: 1, stallThresholds: .init(.milliseconds(10))))
      let (isTold, bodyGate, reportGate) = (Latch(), Latch(), Latch())
      let reports = Box([Stall]())
      try dispatcher.watchStalls { stall in
        if !stall.isOver {
          isTold.open()
          reportGate.hold(patience)
        }
        reports.change { $0.append(stall) }
      }
      dispatcher.background.async(label: "stuck") { bodyGate.hold(patience) }
      #expect(isTold.wait(patience))

      // The body ends, and its thread goes on. The watchdog still reports.
      bodyGate.open()
      try dispatcher.background.submit {}.wait()
      #expect(reports.value.isEmpty)
      #expect(dispatcher.engine.withCore { $0.stalls.ended.count } == 1)
      reportGate.open()

      let end = ContinuousClock.now + patience
      while reports.value.count < 2, ContinuousClock.now < end { giveWay() }
      #expect(reports.value.map(\.isOver) == [false, true])
      dispatcher.runUntilIdle()
      #expect(reports.value.count == 2)
    }

    @Test("one at a time, on one thread, in no task, wherever the stalls end")
    func oneAtATime() throws {
      let dispatcher = try UVDispatcher(.init(stallThresholds: .init(.milliseconds(10))))
      let (inside, most, threads) = (Box(0), Box(0), Box(Set<Int32>()))
      let (misplaced, told, callbacksAreTold) = (Box([String]()), Latch(5), Latch())
      try dispatcher.watchStalls { stall in
        inside.increment()
        most.change { $0 = max($0, inside.value) }
        _ = threads.change { $0.insert(TaskContext.callingThread.number) }
        if let task = TaskContext.current { misplaced.change { $0.append(task.name) } }
        if stall.isOver { told.open() }
        if stall.task == nil { callbacksAreTold.open() }
        giveWay()
        inside.change { $0 -= 1 }
      }
      try dispatcher.start()
      let gates = (0..<5).map { _ in Latch() }
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      dispatcher.foreground.async(label: "loop") {
        // The end of the nested `sync` is told, and the outer body goes on.
        try? queue.sync { gates[0].hold(patience) }
        gates[1].hold(patience)
      }
      dispatcher.background.async(label: "worker") { gates[2].hold(patience) }
      let group = WorkGroup()
      dispatcher.background.async(group: group) { gates[3].hold(patience) }
      group.whenEmpty { gates[4].hold(patience) }
      dispatcher.waitUntil { $0.stalls.toldCount == 4 }
      gates[0].open()
      gates[3].open()
      #expect(callbacksAreTold.wait(patience))
      for gate in gates { gate.open() }
      #expect(told.wait(patience))
      dispatcher.end()
      #expect(most.value == 1)
      #expect(threads.value.count == 1)
      #expect(misplaced.value == [])
    }

    @Test("a receiver that takes its time keeps no worker and no loop")
    func slowReceiver() throws {
      let dispatcher = try UVDispatcher(
        .init(backgroundWidth: 1, stallThresholds: .init(.milliseconds(10))))
      let (isTold, reportGate, bodyGate) = (Latch(), Latch(), Latch())
      try dispatcher.watchStalls { stall in
        guard stall.isOver else { return bodyGate.open() }
        isTold.open()
        reportGate.hold(patience)
      }
      try dispatcher.start()
      dispatcher.background { bodyGate.hold(patience) }
      #expect(isTold.wait(patience))
      try dispatcher.background.submit {}.wait()
      try dispatcher.foreground.submit {}.wait()
      reportGate.open()
      dispatcher.end()
    }

    @Test("the end of a stall is told before the loop is idle, and before a shutdown is over")
    func beforeTheEnd() throws {
      for _ in 0..<20 {
        let dispatcher = try UVDispatcher(.init(stallThresholds: .init(.milliseconds(2))))
        let (gate, ends) = (Latch(), Box(0))
        try dispatcher.watchStalls { stall in
          gate.open()
          // On a busy machine callbacks may take longer than that, too.
          if stall.isOver, stall.task != nil { ends.increment() }
        }
        dispatcher.background { gate.hold(patience) }
        dispatcher.runUntilIdle()
        #expect(ends.value == 1)
        let second = Latch()
        dispatcher.background { second.hold(patience) }
        dispatcher.waitUntil { $0.stalls.toldCount == 1 }
        second.open()
        dispatcher.beginShutdown()
        dispatcher.run()
        #expect(ends.value == 2)
      }
    }

    @Test("the end of a stall is told if the last reference goes during a report")
    func lastReference() throws {
      let (isTold, bodyHasEnded, ends) = (Latch(), Latch(), Latch())
      do {
        let dispatcher = try UVDispatcher(.init(stallThresholds: .init(.milliseconds(10))))
        try dispatcher.watchStalls { stall in
          if stall.isOver { return ends.open() }
          isTold.open()
          bodyHasEnded.hold(patience)
        }
        dispatcher.background.submit {
          isTold.hold(patience)
        }
        #expect(isTold.wait(patience))
        dispatcher.waitUntil { $0.running.isEmpty }
      }
      bodyHasEnded.open()
      #expect(ends.wait(patience))
    }
  }
}
