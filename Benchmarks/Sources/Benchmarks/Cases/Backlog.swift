import CPeers
import Dispatch
import Measuring

extension Case {
  /// The memory of a task that waits behind a million others, its closure included.
  static let backlog = [true, false].map { isForeground in
    let row = Row(
      "memory a task, 1 M queued on \(isForeground ? "fg" : "bg W=1")", unit: .bytes)
    return Case(row.name, poolThreads: 2, rows: [row]) { effort in
      let count = effort.count(1_000_000)
      let subjects: [(String, any Subject)] =
        isForeground
        ? [
          (Contestant.ours, try UVForeground()), ("C", CMailbox()), ("NIO", NIOLoop()),
          ("Dispatch", DispatchSubject.serial),
        ]
        : [
          (Contestant.ours, try UVBackground(width: 1)), ("C", CPool(width: 1)),
          ("NIO", NIOPool(width: 1)), ("Dispatch", DispatchSubject.serial),
        ]
      return subjects.map { name, subject in
        Contestant(name) {
          let (gate, isHeld) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
          subject.run {
            isHeld.signal()
            gate.wait()
          }
          isHeld.wait()
          let counter = Counter()
          defer { counter.free() }
          let before = cpeers_allocated_bytes()
          for _ in 0..<count { subject.submit(counter, 0) }
          let bytes = cpeers_allocated_bytes() - before
          gate.signal()
          counter.wait(for: count)
          return Double(bytes) / Double(count)
        }
      }
    }
  }
}
