#if Daemon
  import TestSupport
  import InMemoryLogging
  import Logging
  import TaskDispatch
  import Testing
  import UVDispatch

  import TaskDispatchTesting
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
      dispatcher.foreground.async(label: "a") { dispatcher.beginShutdown() }
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

    @Test("leaves what a shutdown abandons to the report, which the daemon logs")
    func abandoned() throws {
      let dispatcher = try UVDispatcher(.init(observer: observer))
      let (isRunning, gate) = (Latch(), Latch())
      dispatcher.background.async(label: "stuck") {
        isRunning.open()
        gate.hold(patience)
      }
      #expect(isRunning.wait(patience))
      let daemon = Daemon(
        dispatcher, shutdown: ShutdownPolicy(drain: .zero, cancel: .zero), manager: .absent,
        logger: Logger(label: "test") { _ in log }, send: { _ in nil })
      daemon.beginShutdown(because: "test")
      _ = try daemon.run()
      gate.open()

      let messages = log.entries.map { "\($0.message)" }
      #expect(messages.count { $0.hasPrefix("left behind: \"stuck\"") } == 1)
      let snapshot = try #require(messages.first { $0.hasPrefix("at the end: uv, ") })
      #expect(snapshot.contains("\n  #1 \"stuck\" from \(#fileID):"))
      #expect(snapshot.contains(", abandoned, on thread "))
      #expect(messages.count { $0.contains("stuck") } == 2)
    }

    @Test("tells of a body that holds its thread: once, ten times as late again, and at its end")
    func oneStall() {
      let observer = observer
      for power in 0..<10 { observer.stall(1, for: 100 << power) }
      observer.finish(1, at: 60_000)
      observer.finish(1, at: 60_001)

      #expect(
        log.entries.map { "\($0.level): \($0.message)" } == [
          "warning: \"body 1\" has held its thread for 100 ms",
          "warning: \"body 1\" has held its thread for 1.6 s",
          "warning: \"body 1\" has held its thread for 26 s",
          "notice: \"body 1\" has let its thread go after 60 s",
        ])
    }

    @Test("tells of one of those that one line has submitted in a second, and counts the others")
    func manyStalls() {
      let observer = observer
      for power in 0..<7 {
        for body in 1...7 { observer.stall(body, for: 100 << power) }
      }
      for body in (1...7).reversed() { observer.finish(body, at: 7_000) }
      observer.stall(8, for: 100, at: 9_000)
      // What the observer remembers of one stall must not be taken for another's: neither of these ends is
      // logged.
      observer.finish(8, at: 9_200, .abandoned)
      observer.finish(2, at: 9_300)

      #expect(
        log.entries.map { "\($0.message)" } == [
          "\"body 1\" has held its thread for 100 ms",
          "\"body 1\" has held its thread for 1.6 s; 6 more since the last of these",
          "\"body 2\" has held its thread for 3.2 s",
          "\"body 3\" has held its thread for 6.4 s",
          "\"body 3\" has let its thread go after 7 s",
          "\"body 2\" has let its thread go after 7 s",
          "\"body 1\" has let its thread go after 7 s",
          "\"body 8\" has held its thread for 100 ms",
        ])
    }

    @Test("tells of one that hangs although another of its line was told of just before")
    func hangsAfterAnother() {
      let observer = observer
      observer.stall(1, for: 100)
      observer.finish(1, at: 150)
      for power in 0..<8 { observer.stall(2, for: 100 << power, at: 300) }
      observer.finish(2, at: 20_300)

      #expect(
        log.entries.map { "\($0.message)" } == [
          "\"body 1\" has held its thread for 100 ms",
          "\"body 1\" has let its thread go after 150 ms",
          "\"body 2\" has held its thread for 1.6 s",
          "\"body 2\" has let its thread go after 20 s",
        ])
    }

    @Test("says the same in whatever order several threads tell of a task")
    func anyOrder() {
      let kinds: [TaskEvent.Kind] = [
        .finished(.abandoned), .stalled(.seconds(19.995469694999997)), .started, .due, .enqueued,
        .cancellationRequested,
      ]
      for first in kinds.indices {
        let log = InMemoryLogHandler()
        let observer = LoggingObserver(Logger(label: "test") { _ in log })
        for kind in kinds[first...] + kinds[..<first] { observer.tell(kind, of: 1, at: 5) }
        #expect(log.entries.map { "\($0.message)" } == ["\"body 1\" has held its thread for 20 s"])
      }
    }

    @Test("forgets bodies that never end, and never grows")
    func forgotten() {
      var stalls = Stalls()
      for number in 1...100_000 {
        let record = LoggingObserver.record(number, line: number)
        #expect(stalls.begin(record, at: .init(nanoseconds: 5), held: .nanoseconds(5)) == 0)
      }
      #expect(stalls.count <= 1024)
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

  extension LoggingObserver {
    static func record(_ number: Int, line: Int = 1) -> TaskRecord {
      TaskRecord(
        id: TaskID(UInt64(number)), label: "body \(number)", lane: .background,
        queue: "background", site: CallSite(fileID: "A/B.swift", line: UInt(line)), parent: nil,
        enqueuedAt: .init(nanoseconds: 0))
    }

    fileprivate func tell(_ kind: TaskEvent.Kind, of number: Int, at milliseconds: Int64) {
      let time = DispatcherInstant(nanoseconds: milliseconds * 1_000_000)
      observe(TaskEvent(kind, Self.record(number), at: time))
    }

    /// - Parameter start: When the body has begun, in milliseconds.
    fileprivate func stall(_ number: Int, for milliseconds: Int64, at start: Int64 = 0) {
      tell(.stalled(.milliseconds(milliseconds)), of: number, at: start + milliseconds)
    }

    fileprivate func finish(_ number: Int, at time: Int64, _ outcome: Outcome = .completed) {
      tell(.finished(outcome), of: number, at: time)
    }
  }
#endif
