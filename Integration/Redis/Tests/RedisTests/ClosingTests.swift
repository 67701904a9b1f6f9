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

    @Test("by cutting it tells every caller that still waits, once, and in order")
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

    @Test("does not come about by letting go of it")
    func lettingGo() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        RedisConnection(to: server.address, on: dispatcher) { tally.noteEnd($0) }
          .send(["PING"]) { reply in
            tally.note(0, reply)
            dispatcher.beginShutdown()
          }
      }

      let counts = tally.takeCounts()
      #expect(counts.replies == [.status("PONG")])
      #expect(counts.ends == [.shutDown])
    }

    @Test(
      "or failing to make one lets go of what it was given, while the dispatcher goes on",
      arguments: [true, false])
    func lifetime(isThere: Bool) throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let ended = Confined(false, to: dispatcher.foreground)
      let remembered = Confined(WeakToken(), to: dispatcher.foreground)
      let held = Confined<RedisConnection?>(nil, to: dispatcher.foreground)

      @Sendable func shutDownWhenLetGo() {
        let isLetGo = remembered.withValue { $0.token == nil }
        // The one waiting task is the alarm of this test, and not a Task that watches a connection.
        if ended.withValue({ $0 }), isLetGo, dispatcher.ledger.waiting == 1 {
          dispatcher.beginShutdown()
        } else {
          dispatcher.foreground { shutDownWhenLetGo() }
        }
      }
      dispatcher.runToTheEnd {
        let token = Token()
        remembered.withValue { $0.token = token }
        let address = isThere ? server.address : .unix(path: "/nowhere/socket")
        let connection = RedisConnection(to: address, on: dispatcher) { _ in
          withExtendedLifetime(token) { ended.withValue { $0 = true } }
        }
        held.withValue { $0 = connection }
        connection.send(["PING"]) { _ in withExtendedLifetime(token) {} }
        connection.close()
        shutDownWhenLetGo()
      }

      #expect(remembered.takeValue().token == nil)
    }

    @Test("with thousands of callers to be told lets other tasks run in between")
    func fairness() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let told = Confined(0, to: dispatcher.foreground)
      let toldBefore = Confined([Int](), to: dispatcher.foreground)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { _ in
          dispatcher.beginShutdown()
        }
        for number in 0..<10_000 {
          connection.send(["PING"]) { _ in
            told.withValue { $0 += 1 }
            guard number == 0 else { return }
            dispatcher.foreground { toldBefore.withValue { $0.append(told.withValue { $0 }) } }
          }
        }
        connection.cut()
      }

      #expect(told.takeValue() == 10_000)
      let before = toldBefore.takeValue()
      #expect(before.count == 1)
      #expect(before.allSatisfy { $0 < 100 })
    }

    @Test("gives its socket back")
    func descriptors() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let counts = Confined([Int](), to: dispatcher.foreground)
      let round = Confined(0, to: dispatcher.foreground)

      @Sendable func again() {
        let connection = RedisConnection(to: server.address, on: dispatcher) { _ in
          // Its handle is closed; libuv releases it in the next iteration.
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
