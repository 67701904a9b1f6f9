#if Daemon
  import InMemoryLogging
  import Logging
  import TaskDispatch
  import Testing
  import UVDispatch

  @testable import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("The log of a dispatcher")
  struct LoggingObserverTests {
    private let log = InMemoryLogHandler()
    private var observer: LoggingObserver {
      LoggingObserver(Logger(label: "test") { _ in log })
    }

    @Test("says nothing of what goes well")
    func quiet() throws {
      let dispatcher = try UVDispatcher(.init(observer: observer))
      dispatcher.background {}
      dispatcher.foreground(label: "a") { dispatcher.beginShutdown() }
      dispatcher.run()
      #expect(dispatcher.background {} == .refused(.shutDown))
      #expect(log.entries.isEmpty)
    }

    @Test("names what was refused and where, once a second for each line")
    func refusals() throws {
      let observer = observer
      let line = CallSite(fileID: "A/Full.swift", line: 12)
      func refuse(_ site: CallSite, at milliseconds: Int64) {
        let record = TaskRecord(
          id: TaskID(9), label: "hash", lane: .background, queue: "background", site: site,
          parent: nil, enqueuedAt: .init(nanoseconds: 0))
        observer.observe(
          TaskEvent(
            .refused(.limitReached), record, at: .init(nanoseconds: milliseconds * 1_000_000)))
      }

      for time in 0..<1_000 { refuse(line, at: Int64(time)) }
      refuse(CallSite(fileID: "A/Other.swift", line: 1), at: 999)
      refuse(line, at: 1_000)

      #expect(
        log.entries.map { "\($0.message)" } == [
          "\"hash\" was refused: \(Refusal.limitReached)",
          "\"hash\" was refused: \(Refusal.limitReached)",
          "\"hash\" was refused: \(Refusal.limitReached); 999 more since the last of these",
        ])
      #expect(
        log.entries.map { $0.metadata["site"] } == [
          "A/Full.swift:12", "A/Other.swift:1", "A/Full.swift:12",
        ])
    }

    @Test("names what a shutdown abandons")
    func abandoned() throws {
      let dispatcher = try UVDispatcher(.init(observer: observer))
      let (isRunning, gate) = (Latch(), Latch())
      dispatcher.background(label: "stuck") {
        isRunning.open()
        _ = gate.wait(patience)
      }
      #expect(isRunning.wait(patience))
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
      dispatcher.run()
      gate.open()

      let entry = try #require(log.entries.first { "\($0.message)".contains("abandoned") })
      #expect(entry.message == "\"stuck\" was abandoned: it still runs after the shutdown")
      #expect(entry.metadata["queue"] == "background")
    }

    @Test("says the same in whatever order several threads tell of a task")
    func anyOrder() {
      let record = TaskRecord(
        id: TaskID(1), label: "hash", lane: .background, queue: "background",
        site: CallSite(fileID: "A/B.swift", line: 1), parent: nil,
        enqueuedAt: .init(nanoseconds: 0))
      let kinds: [TaskEvent.Kind] = [
        .finished(.abandoned), .stalled(.seconds(19.995469694999997)), .started, .due, .enqueued,
        .cancellationRequested,
      ]
      let expected: Set<String> = [
        "\"hash\" was abandoned: it still runs after the shutdown",
        "\"hash\" has held its thread for 20 s",
      ]

      for first in kinds.indices {
        let log = InMemoryLogHandler()
        let observer = LoggingObserver(Logger(label: "test") { _ in log })
        for kind in kinds[first...] + kinds[..<first] {
          observer.observe(TaskEvent(kind, record, at: .init(nanoseconds: 5)))
        }
        #expect(log.entries.count == 2)
        #expect(Set(log.entries.map { "\($0.message)" }) == expected)
      }
    }

    @Test("counts refusals that are told in another order than they happened")
    func lateRefusals() {
      let observer = observer
      for milliseconds in [500, 0, 1_499, 3, 1_500] as [Int64] {
        let record = TaskRecord(
          id: TaskID(1), label: "hash", lane: .background, queue: "background",
          site: CallSite(fileID: "A/B.swift", line: 1), parent: nil,
          enqueuedAt: .init(nanoseconds: 0))
        observer.observe(
          TaskEvent(
            .refused(.limitReached), record, at: .init(nanoseconds: milliseconds * 1_000_000)))
      }

      #expect(
        log.entries.map { "\($0.message)" } == [
          "\"hash\" was refused: the queue is full",
          "\"hash\" was refused: the queue is full; 3 more since the last of these",
        ])
    }

    @Test("forgets lines when they are too many to be lines, and never grows")
    func throttle() {
      var throttle = Throttle(interval: .seconds(1))
      let time = DispatcherInstant(nanoseconds: 0)
      for line in 1...100_000 {
        #expect(throttle.pass(CallSite(fileID: "A/B.swift", line: UInt(line)), at: time) == 0)
      }
      #expect(throttle.count <= 1024)
    }
  }
#endif
