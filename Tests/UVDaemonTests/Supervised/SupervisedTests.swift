#if Daemon
  import Foundation
  import Glibc
  import TaskDispatch
  import Testing

  import TaskDispatchTesting

  /// `SUPERVISED_TIMES=50 swift test --filter SupervisedTests` runs each case 50 times, with the times of a
  /// real daemon: requests to end within one second count as one.
  @Suite("A daemon in a process of its own", .serialized)
  struct SupervisedTests {
    private static let chosen = ProcessInfo.processInfo.environment["SUPERVISED_TIMES"]
      .flatMap { Int($0) }
    private static let times = chosen ?? 1
    /// In milliseconds, the time within which requests to end count as one. A real daemon takes one second.
    /// That is too short for these tests on a busy machine, so they take a minute.
    private static let window = chosen == nil ? 60_000 : 1_000

    struct Pair: Sendable, CustomTestStringConvertible {
      let gap: Int
      let second: CInt

      var testDescription: String { "\(second == SIGTERM ? "TERM" : "INT") \(gap) ms later" }
    }

    @Test(
      "does all of its work after one request to end that comes twice",
      arguments: [0, 1, 5, 20, 200].flatMap { gap in
        [SIGTERM, SIGINT].map { Pair(gap: gap, second: $0) }
      })
    func oneRequest(_ pair: Pair) throws {
      for _ in 0..<Self.times {
        let supervisor = try Supervisor("jobs", "\(Self.window)")
        #expect(supervisor.hears("READY=1"))
        supervisor.signal(SIGTERM)
        supervisor.listen(for: .milliseconds(pair.gap))
        supervisor.signal(pair.second)
        // The kernel makes one signal of two pending ones of the same kind, so the daemon need not hear of the
        // second.
        if pair.gap >= 200 || pair.second == SIGINT { #expect(supervisor.reads("came again")) }
        #expect(supervisor.hears("STOPPING=1"))
        supervisor.endJobs(6)

        let (status, text) = supervisor.end()
        #expect(status == 0 && text.contains("done: 6 of 6"), "\(text)")
        #expect(supervisor.heard.filter { $0.hasPrefix("STOPPING") }.count == 1)
      }
    }

    @Test(
      "is cut short by a request to end that comes later than that", arguments: [SIGTERM, SIGINT])
    func secondRequest(_ second: CInt) throws {
      // With `SUPERVISED_TIMES`, the second request comes three seconds after the first, well outside the real
      // window of one second.
      let (window, gap) = Self.chosen == nil ? (50, 50) : (1_000, 3_000)
      for _ in 0..<Self.times {
        let supervisor = try Supervisor("jobs", "\(window)")
        #expect(supervisor.hears("READY=1"))
        supervisor.signal(SIGTERM)
        // By then the daemon has taken the first request.
        #expect(supervisor.reads("shuts down;"))
        supervisor.listen(for: .milliseconds(gap))
        supervisor.signal(second)

        let (status, text) = supervisor.end()
        #expect(status == 1 && text.contains("done: 0 of 6"), "\(text)")
        #expect(text.contains("a second request to end: shuts down now"))
      }
    }

    @Test("that is started with SIGTERM blocked hears it, and so do programs that its bodies start")
    func blocked() throws {
      for _ in 0..<Self.times {
        let supervisor = try Supervisor("blocked")
        #expect(supervisor.hears("READY=1"))
        supervisor.signal(SIGTERM)

        let (status, text) = supervisor.end()
        #expect(status == 0 && text.contains("done: 2 of 2"), "\(text)")
        #expect(text.contains("SIGTERM was blocked"))
      }
    }

    @Test("is heard to be ready although the foreground has no room")
    func full() throws {
      for _ in 0..<Self.times {
        let supervisor = try Supervisor("full")
        supervisor.endJobs(1)
        #expect(supervisor.hears("READY=1"))
        #expect(supervisor.hears("STATUS=there is no room"))
        supervisor.signal(SIGTERM)

        let (status, text) = supervisor.end()
        #expect(status == 0 && text.contains("done: 1 of 1"), "\(text)")
      }
    }

    @Test("is heard to be ready, and to have reloaded, although it says too much at once")
    func long() throws {
      for _ in 0..<Self.times {
        let supervisor = try Supervisor("long")
        #expect(supervisor.hears("READY=1"))
        supervisor.signal(SIGHUP)
        #expect(supervisor.hears("RELOADING=1"))
        #expect(supervisor.hears("READY=1", times: 2))
        supervisor.signal(SIGTERM)

        #expect(supervisor.end().status == 0)
        let statuses = supervisor.heard.filter { $0.hasPrefix("STATUS=") }
        #expect(statuses.contains { $0.hasPrefix("STATUS=very long, very long") })
        #expect(statuses.contains { $0.hasPrefix("STATUS=cannot reload: very long") })
      }
    }

    @Test("is not heard to be ready in the middle of a reload, or after it began to stop")
    func components() throws {
      for _ in 0..<Self.times {
        let supervisor = try Supervisor("components")
        #expect(supervisor.hears("READY=1"))
        supervisor.signal(SIGHUP)
        #expect(supervisor.hears("READY=1", times: 2))
        supervisor.signal(SIGTERM)

        #expect(supervisor.end().status == 0)
        let states = ["READY", "RELOADING", "STOPPING"]
        #expect(
          supervisor.heard.filter { line in states.contains { line.hasPrefix($0) } }
            == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"])
      }
    }

    @Test("is heard to be ready again after a reload that hangs, and does the next one")
    func hangingReload() throws {
      for _ in 0..<Self.times {
        let supervisor = try Supervisor("hanging-reload", "20")
        #expect(supervisor.hears("READY=1"))
        supervisor.signal(SIGHUP)
        #expect(supervisor.hears("READY=1", times: 2))
        #expect(supervisor.hears("STATUS=cannot reload: onReload of DaemonHost/main.swift:"))
        supervisor.signal(SIGHUP)
        #expect(supervisor.hears("RELOADING=1", times: 2))
        #expect(supervisor.hears("READY=1", times: 3))
        #expect(supervisor.hears("STATUS=has reloaded"))
        supervisor.signal(SIGTERM)

        #expect(supervisor.end().status == 0)
      }
    }
  }
#endif
