import Redis
import Testing
import UVDispatch

extension OnOurLoop {
  @Suite("A server that is killed")
  struct KilledServerTests {
    @Test(
      "in the middle: every command is told once, the end after them, and the dispatcher goes on",
      arguments: RedisServer.Kind.allCases)
    func inTheMiddle(kind: RedisServer.Kind) throws {
      let server = try RedisServer.start(on: kind)
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)
      let after = Confined([String](), to: dispatcher.foreground)
      let pipeline = Pipeline(100_000, window: 1_000, on: dispatcher) { ["ECHO", "\($0)"] }
      let hashing = Hashing()

      dispatcher.runToTheEnd {
        hashing.begin(on: dispatcher)
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          tally.noteEnd(error)
          hashing.end()
          dispatcher.background.async {
            6 * 7
          } then: { result in
            after.withValue { $0.append("\((try? result.get()) ?? 0)") }
            dispatcher.beginShutdown()
          }
        }
        pipeline.start(connection) { number, reply in
          if tally.note(number, reply) == 20_000 { server.kill() }
        }
      }

      let counts = tally.takeCounts()
      let sent = pipeline.takeCounts().sent
      #expect(counts.answered.count >= 20_000)
      #expect(!counts.failed.isEmpty)
      #expect(counts.answered + counts.failed == Array(0..<sent))
      #expect(counts.replies == counts.answered.map { .text("\($0)") })
      #expect(counts.errors.count == 1)
      #expect(counts.errors.allSatisfy { $0.isLoss(of: server.address) })
      #expect(counts.ends == counts.errors.map { $0 })
      // Not all commands: some are sent when hiredis knows of the end, and the test does not yet.
      #expect(counts.toldBeforeEnd.allSatisfy { $0 > counts.answered.count })
      #expect(after.takeValue() == ["42"])
      #expect(hashing.wrong == 0)
    }

    @Test(
      "with commands that it has not read: the system says reset, and every caller is told",
      arguments: RedisServer.Kind.allCases)
    func unread(kind: RedisServer.Kind) throws {
      let server = try RedisServer.start(on: kind)
      let dispatcher = try UVDispatcher(.oneTaskATurn)
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          tally.noteEnd(error)
          dispatcher.beginShutdown()
        }
        connection.send(["PING"]) { reply in
          tally.note(0, reply)
          server.stop()
          for number in 1...100 {
            connection.send(["ECHO", "\(number)"]) { tally.note(number, $0) }
          }
          dispatcher.afterLooks(10) { server.kill() }
        }
      }

      let counts = tally.takeCounts()
      #expect(counts.replies == [.status("PONG")])
      #expect(counts.failed == Array(1...100))
      #expect(counts.errors == [.lost(server.address, "Connection reset by peer")])
      #expect(counts.ends == [.lost(server.address, "Connection reset by peer")])
      #expect(counts.toldBeforeEnd == [101])
    }

    @Test(
      "while nothing is asked of it: the connection says so once",
      arguments: RedisServer.Kind.allCases)
    func idle(kind: RedisServer.Kind) throws {
      let server = try RedisServer.start(on: kind)
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          tally.noteEnd(error)
          dispatcher.beginShutdown()
        }
        connection.send(["PING"]) { _ in server.kill() }
      }

      #expect(tally.takeCounts().ends == [.lost(server.address, "Server closed the connection")])
    }

    @Test("leaves a connection that takes nothing more, and says so later with the same error")
    func afterwards() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let notes = Confined([String](), to: dispatcher.foreground)
      let ends = Confined([RedisError?](), to: dispatcher.foreground)
      let errors = Confined([RedisError?](), to: dispatcher.foreground)
      let connection = Confined<RedisConnection?>(nil, to: dispatcher.foreground)

      dispatcher.runToTheEnd {
        let mine = RedisConnection(to: server.address, on: dispatcher) { error in
          ends.withValue { $0.append(error) }
          let dead = connection.withValue { $0! }
          dead.send(["PING"]) { reply in
            notes.withValue { $0.append("told") }
            if case .failure(let error) = reply { errors.withValue { $0.append(error) } }
            dispatcher.beginShutdown()
          }
          notes.withValue { $0.append("sent") }
          dead.close()
          dead.cut()
        }
        connection.withValue { $0 = mine }
        server.kill()
      }

      #expect(notes.takeValue() == ["sent", "told"])
      #expect(ends.takeValue() == errors.takeValue())
    }
  }
}

extension RedisError {
  /// Whether it is the loss of a connection to `address`, whatever reason the system gives.
  func isLoss(of address: RedisAddress) -> Bool {
    if case .lost(address, let reason) = self { !reason.isEmpty } else { false }
  }
}
