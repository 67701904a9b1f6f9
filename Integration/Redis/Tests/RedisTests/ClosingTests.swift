import Redis
import Testing
import UVDispatch

extension OnOurLoop {
  @Suite("Closing a connection")
  struct ClosingTests {
    @Test("waits for the replies to what was sent, and ends without an error")
    func close() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          tally.noteEnd(error)
          dispatcher.beginShutdown()
        }
        for number in 0..<1_000 {
          connection.send(["INCR", "counter"]) { tally.note(number, $0) }
        }
        connection.close()
        connection.send(["INCR", "counter"]) { tally.note(1_000, $0) }
        connection.close()
      }

      let counts = tally.takeCounts()
      #expect(counts.answered == Array(0..<1_000))
      #expect(counts.replies == (1...1_000).map { .integer($0) })
      #expect(counts.failed == [1_000])
      #expect(counts.errors == [.closed])
      #expect(counts.ends == [nil])
      #expect(counts.toldBeforeEnd == [1_001])
    }

    @Test("by cutting it tells everybody who still waits, once, and in order")
    func cut() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          tally.noteEnd(error)
          dispatcher.beginShutdown()
        }
        connection.send(["PING"]) { reply in
          tally.note(0, reply)
          server.stop()
          for number in 1...100 { connection.send(["PING"]) { tally.note(number, $0) } }
          connection.cut()
          connection.cut()
          connection.send(["PING"]) { if case .failure(.closed) = $0 { tally.note(101, $0) } }
        }
      }

      let counts = tally.takeCounts()
      #expect(counts.answered == [0])
      #expect(counts.failed == Array(1...101))
      #expect(counts.errors == [.cut, .closed])
      #expect(counts.ends == [nil])
      #expect(counts.toldBeforeEnd == [101])
    }

    enum Way: Sendable, CaseIterable { case close, cut, closeAndThenCut }

    @Test("before it is connected, and with nothing sent, ends it as well", arguments: Way.allCases)
    func atOnce(way: Way) throws {
      let server = try RedisServer.start(on: .tcp)
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          tally.noteEnd(error)
          dispatcher.beginShutdown()
        }
        if way != .cut { connection.close() }
        if way != .close { connection.cut() }
        #expect(dispatcher.isForeground)
      }

      #expect(tally.takeCounts().ends == [nil])
    }

    @Test("by letting go of it does not happen: it lives until its end, and is then let go of")
    func lettingGo() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)
      let token = Confined<Token?>(Token(), to: dispatcher.foreground)
      let remembered = Confined(WeakToken(), to: dispatcher.foreground)

      dispatcher.runToTheEnd {
        let held = token.withValue { $0.take()! }
        remembered.withValue { $0.token = held }
        _ = RedisConnection(to: server.address, on: dispatcher) { error in
          withExtendedLifetime(held) { tally.noteEnd(error) }
        }
        // Another one, so that this test knows when the first must have been answered long since.
        let other = RedisConnection(to: server.address, on: dispatcher) { _ in }
        other.send(["PING"]) { reply in
          tally.note(0, reply)
          dispatcher.beginShutdown()
        }
      }

      let counts = tally.takeCounts()
      #expect(counts.replies == [.status("PONG")])
      #expect(counts.ends == [.shutDown])
      #expect(remembered.takeValue().token == nil)
    }

    @Test("gives its socket back")
    func descriptors() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let counts = Confined([Int](), to: dispatcher.foreground)
      let round = Confined(0, to: dispatcher.foreground)

      @Sendable func again() {
        let connection = RedisConnection(to: server.address, on: dispatcher) { _ in
          // Its handle is closed; libuv lets go of it in the next turn.
          dispatcher.foreground {
            counts.withValue { $0.append(ThisProcess.descriptors) }
            let rounds = round.withValue { round in
              round += 1
              return round
            }
            if rounds < 20 { again() } else { dispatcher.beginShutdown() }
          }
        }
        connection.send(["PING"]) { _ in connection.close() }
      }
      dispatcher.runToTheEnd { again() }

      let seen = counts.takeValue()
      #expect(seen.count == 20)
      #expect(seen.last == seen.first)
    }
  }
}

private final class Token: Sendable {}

private struct WeakToken { weak var token: Token? }
