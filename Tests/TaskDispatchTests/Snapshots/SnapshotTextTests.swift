import Foundation
import TaskDispatch
import Testing

@Suite("A snapshot, as a value")
struct SnapshotTextTests {
  /// One with something in every section.
  private static var full: DispatcherSnapshot {
    var ledger = Ledger()
    ledger.accepted = 130
    ledger.completed = 120
    ledger.waiting = 8
    ledger.running = 2
    var snapshot = DispatcherSnapshot(
      label: "spoold", time: .start.advanced(by: .milliseconds(12_300)), ledger: ledger)
    snapshot.phase = .draining
    var counts = OutcomeCounts()
    counts.completed = 120
    counts.refused = 3
    snapshot.queues = [
      .init(
        label: "foreground", lane: .foreground, width: 1, limit: nil, waiting: 0, running: 0,
        oldestAge: nil, counts: OutcomeCounts()),
      .init(
        label: "thumbnails", lane: .background, width: 2, limit: 8, isSuspended: true, waiting: 8,
        waitingForRoom: 1, running: 2, oldestAge: 1.25, counts: counts),
    ]
    snapshot.running = [
      .init(
        task: 17, label: "scan", queue: "thumbnails", site: "Spool/Scan.swift:10",
        thread: ThreadRecord(id: 1234, name: "spoold worker"), duration: 2.1, isBlocked: true),
      .init(
        task: 18, label: nil, queue: "thumbnails", site: "Spool/Scan.swift:20", thread: nil,
        duration: nil, isAbandoned: true),
      .init(
        task: nil, label: nil, queue: "foreground", site: nil,
        thread: ThreadRecord(id: 1230, name: ""), duration: nil),
    ]
    snapshot.timerCount = 12
    snapshot.timers = [
      .init(
        task: 3, label: "rescan", queue: "foreground", site: "Spool/Timer.swift:8", dueIn: 1.5,
        repeats: true),
      .init(
        task: 4, label: nil, queue: "background", site: "Spool/Timer.swift:9", dueIn: -0.001,
        repeats: false),
    ]
    snapshot.handlers = [
      .init(event: "SIGTERM", label: "SIGTERM", site: "UVDaemon/Daemon.swift:200"),
      .init(event: "SIGHUP", label: "reload", site: "Spool/Service.swift:30"),
    ]
    snapshot.waits = [
      WaitLink(waiter: "\"scan\"", waiterQueue: "thumbnails", waitsFor: "its turn on disk")
    ]
    snapshot.pool = .init(
      threads: 4, width: 3, used: 2, isShort: true,
      reason: "one thread stays free for libuv's own work")
    return snapshot
  }

  @Test("says everything in lines that a person reads")
  func text() {
    #expect(
      Self.full.description == """
        spoold, 12 s after its start, draining
          130 submitted (0 refused): 120 completed, 0 failed, 0 cancelled, 0 expired, 0 abandoned, 8 waiting, 2 running
        queues
          foreground, width 1: 0 running, 0 waiting; none ended
          thumbnails, width 2, limit 8, suspended: 2 running, 8 waiting, the oldest for 1.3 s, 1 for room; 120 completed, 3 refused
        running
          #17 "scan" from Spool/Scan.swift:10 on thumbnails for 2.1 s, blocked, on thread 1234 "spoold worker"
          #18 Spool/Scan.swift:20 on thumbnails, abandoned
          callbacks on foreground, on thread 1230
        timers
          in 1.5 s: #3 "rescan" from Spool/Timer.swift:8 on foreground, repeats
          due: #4 Spool/Timer.swift:9 on background
          10 more
        handlers
          SIGTERM: UVDaemon/Daemon.swift:200
          SIGHUP: "reload" from Spool/Service.swift:30
        blocked
          "scan" on thumbnails waits for its turn on disk
        pool
          uses 2 of 4 threads, 3 at most: one thread stays free for libuv's own work; other dispatchers have threads that it could use
        """)
  }

  @Test("leaves out what there is none of")
  func empty() {
    let snapshot = DispatcherSnapshot(label: "d", time: .start, ledger: Ledger())
    #expect(
      snapshot.description == """
        d, 0 s after its start, open
          0 submitted (0 refused): 0 completed, 0 failed, 0 cancelled, 0 expired, 0 abandoned, 0 waiting, 0 running
        """)
  }

  @Test("can be encoded, with words for lanes and seconds for times, and decoded again")
  func coding() throws {
    let data = try JSONEncoder().encode(Self.full)
    #expect(try JSONDecoder().decode(DispatcherSnapshot.self, from: data) == Self.full)
    let fields = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let queues = try #require(fields["queues"] as? [[String: Any]])
    #expect(queues[1]["lane"] as? String == "background")
    #expect(queues[1]["oldestAge"] as? Double == 1.25)
    #expect(fields["phase"] as? String == "draining")
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Lane.self, from: Data("\"middle\"".utf8))
    }
  }
}
