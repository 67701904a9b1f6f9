import Redis
import Testing
import UVDispatch

extension OnOurLoop {
  @Suite("Misusing a connection")
  struct MisuseTests {
    @Test("traps if it is made on a worker")
    func madeOnWorker() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        let dispatcher = try UVDispatcher()
        try dispatcher.start()
        try await dispatcher.background.run {
          _ = RedisConnection(to: .unix(path: "/nowhere"), on: dispatcher) { _ in }
        }
      }
      #expect(result?.said("runs on background") == true)
    }

    @Test("traps if it is used on a worker")
    func usedOnWorker() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        let dispatcher = try UVDispatcher()
        try dispatcher.start()
        let connection = try await dispatcher.foreground.run {
          RedisConnection(to: .unix(path: "/nowhere"), on: dispatcher) { _ in }
        }
        try await dispatcher.background.run { connection.send(["PING"]) { _ in } }
      }
      #expect(result?.said("touches state that is confined to foreground") == true)
    }

    @Test("traps if a command is sent that has not one reply")
    func subscribesByHand() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        let dispatcher = try UVDispatcher()
        try dispatcher.start()
        try await dispatcher.foreground.run {
          RedisConnection(to: .unix(path: "/nowhere"), on: dispatcher) { _ in }
            .send(["subscribe", "news"]) { _ in }
        }
      }
      #expect(result?.said("SUBSCRIBE has not one reply") == true)
    }

    @Test("traps if a subscribed connection is sent a command")
    func commandWhileSubscribed() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        let server = try RedisServer.start()
        let dispatcher = try UVDispatcher()
        try dispatcher.start()
        try await dispatcher.foreground.run {
          let connection = RedisConnection(to: server.address, on: dispatcher) { _ in }
          connection.subscribe(to: "news") { _ in }
          connection.send(["PING"]) { _ in }
        }
      }
      #expect(result?.said("and PING was sent; make another") == true)
    }
  }
}

extension ExitTest.Result {
  /// Whether the process wrote `text` before it ended.
  fileprivate func said(_ text: String) -> Bool {
    String(decoding: standardErrorContent, as: UTF8.self).contains(text)
  }
}
