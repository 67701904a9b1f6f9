import Redis
import Testing
import UVDispatch

extension OnOurLoop {
  @Suite("A connection that cannot be made")
  struct RefusedConnectionTests {
    enum Obstacle: Sendable, CaseIterable {
      /// There is no such socket.
      case noSocket
      /// The server of the socket is gone.
      case noServerAtTheSocket
      case noServerAtThePort

      var reason: String {
        switch self {
        case .noSocket: "No such file or directory"
        case .noServerAtTheSocket, .noServerAtThePort: "Connection refused"
        }
      }
    }

    @Test(
      "is told once, to the callers that sent and then to its owner",
      arguments: Obstacle.allCases, [0, 3])
    func isTold(obstacle: Obstacle, commands: Int) throws {
      let (server, port) = (try RedisServer.start(), LoopbackPort())
      let address: RedisAddress =
        switch obstacle {
        case .noSocket: .unix(path: "/nowhere/socket")
        case .noServerAtTheSocket: server.address
        case .noServerAtThePort: .tcp(host: "127.0.0.1", port: port.number)
        }
      if obstacle == .noServerAtTheSocket { server.killAndWait() }
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: address, on: dispatcher) { error in
          tally.noteEnd(error)
          dispatcher.beginShutdown()
        }
        for number in 0..<commands { connection.send(["PING"]) { tally.note(number, $0) } }
      }

      let counts = tally.takeCounts()
      #expect(counts.failed == Array(0..<commands))
      #expect(counts.ends == [.lost(address, obstacle.reason)])
      #expect(counts.errors.isSubset(of: [.lost(address, obstacle.reason)]))
      withExtendedLifetime(port) {}
    }
  }
}
