import Glibc
import Oracle
import TaskDispatch

/// Checks that the background goes on: posts a task from a thread of its own, again and again, and
/// measures how long the task waits while a worker is certainly free.
final class Prober: @unchecked Sendable {
  private let tangle: Tangle
  private let isOver = Gate()
  private var thread: OwnThread?

  /// How long a task may wait while a worker is free.
  static let patience: Int64 = (isSanitized ? 10 : 1) * 1_000_000_000

  init(_ tangle: Tangle) {
    self.tangle = tangle
    thread = OwnThread { [unowned self] in
      // This thread never waits for a task, so it never runs another task's code inside a wait.
      ThreadRecorder.current.stand.role = .silent
      while !isOver.wait(seconds: tangle.hold.isOn ? 0.000_1 : 0.002) {
        if !tangle.isOver.isRaised { probe() }
        tangle.hold.letGo()
      }
      tangle.hold.letGo()
    }
  }

  /// Returns when the probing thread has stopped.
  func stop() {
    isOver.open()
    _ = thread?.join(seconds: 1e6)
    thread = nil
  }

  private func probe() {
    let isHeld = tangle.hold.isOn
    let queue = tangle.probeView
    let (ticket, mark) = tangle.issue(.posted, on: queue)
    let began = tangle.now()
    let admission = tangle.queues[queue](fileID: Tangle.file, line: UInt(mark)) { [tangle] in
      tangle.body(ticket, mark) {}
    }
    guard tangle.settle(ticket, admission) else { return }
    tangle.totals.probes.add()
    let look = Gate()
    var looks = 0
    // Since this time each look has found a worker that is in no user code.
    var freeSince = began
    while !ticket.hasBegun, !tangle.isOver.isRaised {
      look.wait(seconds: 0.000_5)
      looks += 1
      let now = tangle.now()
      if tangle.places.busyWorkers >= tangle.width {
        freeSince = now
        // The probe may need the worker that is held, also if it is held only since the probe began.
        if now - began > 20_000_000 { tangle.hold.letGo() }
      }
      guard now - freeSince > Self.patience else { continue }
      tangle.violations.report(
        .noStandstill, ticket,
        "has waited for \((now - began) / 1_000_000) ms, and in each of the last looks a worker was "
          + "free: \(tangle.places.busyWorkers) of \(tangle.width) in user code"
          + (isHeld ? ", one kept in a callback" : "") + "\n" + tangle.state)
      return
    }
    if isHeld { tangle.totals.heldProbes.add() }
  }
}
