import Foundation
import Redis
import Testing
import UVDispatch

extension OnOurLoop {
  @Suite("A dispatcher that is shut down while commands are outstanding")
  struct ShutdownTests {
    static let policies: [ShutdownPolicy] = [
      ShutdownPolicy(), ShutdownPolicy(drain: .zero), ShutdownPolicy(drain: .zero, cancel: .zero),
    ]

    @Test("tells each of them, and then the end, before its report", arguments: policies)
    func outstanding(policy: ShutdownPolicy) throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        Self.leaveOutstanding(100, at: server, on: dispatcher, tally) {
          dispatcher.beginShutdown(policy)
        }
      }

      Self.expectAllTold(tally.takeCounts(), 100)
    }

    @Test("from another thread does so as well")
    func fromAnotherThread() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        Self.leaveOutstanding(100, at: server, on: dispatcher, tally) {
          Thread.detachNewThread { dispatcher.beginShutdown() }
        }
      }

      Self.expectAllTold(tally.takeCounts(), 100)
    }

    @Test("on a thread of its own tells a Task that awaits a reply, and one that awaits the report")
    func onItsOwnThread() async throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let waiting = Task(executorPreference: dispatcher.foreground.executor) {
        let connection = RedisConnection(to: server.address, on: dispatcher) { _ in }
        _ = try await connection.reply(to: ["PING"])
        server.stop()
        dispatcher.beginShutdown()
        return try await connection.reply(to: ["PING"])
      }

      await #expect(throws: RedisError.shutDown) { try await waiting.value }

      let report = await dispatcher.shutdown()
      #expect(report.unfinished == [])
    }

    @Test("lets a connection that is made while it drains end at once")
    func madeWhileItDrains() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        dispatcher.beginShutdown()
        let connection = RedisConnection(
          to: server.address, on: dispatcher, onEnd: { tally.noteEnd($0) })
        connection.send(["PING"]) { tally.note(0, $0) }
      }

      let counts = tally.takeCounts()
      #expect(counts.ends == [.shutDown])
      #expect(counts.errors == [.shutDown])
    }

    @Test("is awaited by a connection that was closed first: that gets its replies")
    func closedFirst() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          tally.noteEnd(error)
          dispatcher.beginShutdown()
        }
        for number in 0..<100 { connection.send(["PING"]) { tally.note(number, $0) } }
        connection.close()
      }

      let counts = tally.takeCounts()
      #expect(counts.answered == Array(0..<100))
      #expect(counts.ends == [nil])
    }

    @Test("tells a reply that comes while it lets nothing more in, as a reply")
    func whenTheGateIsClosed() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher(.oneTaskATurn)
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(
          to: server.address, on: dispatcher, onEnd: { tally.noteEnd($0) })
        connection.send(["PING"]) { reply in
          tally.note(0, reply)
          server.stop()
          connection.send(["ECHO", "late"]) { tally.note(1, $0) }
          dispatcher.afterLooks(10) {
            // The job that cuts the connection stands behind these tasks. The loop looks at its
            // descriptors between them.
            for _ in 0..<10 { dispatcher.foreground {} }
            dispatcher.beginShutdown()
            server.goOn()
            #expect(throws: Never.self) { try server.waitUntilItHasAnswered() }
          }
        }
      }

      let counts = tally.takeCounts()
      #expect(counts.replies == [.status("PONG"), .text("late")])
      #expect(counts.failed == [])
      #expect(counts.ends == [.shutDown])
    }

    /// Sends that many commands to a stopped server, and then calls `then`.
    private static func leaveOutstanding(
      _ count: Int, at server: RedisServer, on dispatcher: UVDispatcher, _ tally: Tally,
      then: @escaping @Sendable () -> Void
    ) {
      let connection = RedisConnection(
        to: server.address, on: dispatcher, onEnd: { tally.noteEnd($0) })
      connection.send(["PING"]) { _ in
        server.stop()
        for number in 0..<count { connection.send(["PING"]) { tally.note(number, $0) } }
        then()
      }
    }

    private static func expectAllTold(
      _ counts: Tally.Counts, _ count: Int, at location: SourceLocation = #_sourceLocation
    ) {
      #expect(counts.failed == Array(0..<count), sourceLocation: location)
      #expect(counts.answered == [], sourceLocation: location)
      #expect(counts.errors == [.shutDown], sourceLocation: location)
      #expect(counts.ends == [.shutDown], sourceLocation: location)
      #expect(counts.toldBeforeEnd == [count], sourceLocation: location)
    }
  }
}
