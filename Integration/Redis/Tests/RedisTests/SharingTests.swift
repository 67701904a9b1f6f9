import Redis
import Testing
import UVDispatch

extension OnOurLoop {
  @Suite("A connection that many use")
  struct SharingTests {
    @Test("gives each task of the foreground its own replies")
    func tasks() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let replies = Confined([Int: [RedisReply]](), to: dispatcher.foreground)
      let (users, rounds) = (8, 50)

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { _ in
          dispatcher.beginShutdown()
        }
        let group = WorkGroup()
        for user in 0..<users {
          group.enter()
          @Sendable func ask(_ round: Int) {
            guard round < rounds else { return group.leave() }
            connection.send(["RPUSH", "list of \(user)", "\(round)"]) { reply in
              replies.withValue { $0[user, default: []].append((try? reply.get()) ?? .null) }
              dispatcher.foreground { ask(round + 1) }
            }
          }
          dispatcher.foreground { ask(0) }
        }
        group.notify(on: dispatcher.foreground) { connection.close() }
      }

      let expected = (1...rounds).map { RedisReply.integer(Int64($0)) }
      #expect(
        replies.takeValue() == Dictionary(uniqueKeysWithValues: (0..<users).map { ($0, expected) }))
    }

    @Test("gives each Task of Swift its own, which it can await on the foreground")
    func swiftTasks() async throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      try dispatcher.start()

      let echoes = try await Task(executorPreference: dispatcher.foreground.executor) {
        let connection = RedisConnection(to: server.address, on: dispatcher) { _ in }
        let echoes = try await withThrowingTaskGroup(of: (Int, RedisReply).self) { group in
          for number in 0..<100 {
            group.addTask { (number, try await connection.reply(to: ["ECHO", "\(number)"])) }
          }
          return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        connection.close()
        return echoes
      }.value

      #expect(echoes.count == 100)
      #expect(echoes.allSatisfy { $0.value == .text("\($0.key)") })
      #expect(await dispatcher.shutdown().unfinished == [])
    }

    @Test("is one of several on a loop, which do not disturb each other")
    func severalConnections() throws {
      let servers = try [RedisServer.start(), RedisServer.start(on: .tcp)]
      let dispatcher = try UVDispatcher()
      let tally = Tally(on: dispatcher)
      let ends = WorkGroup()

      dispatcher.runToTheEnd {
        for (index, server) in servers.enumerated() {
          ends.enter()
          let connection = RedisConnection(to: server.address, on: dispatcher) { _ in ends.leave() }
          for number in 0..<100 {
            connection.send(["INCR", "counter"]) { tally.note(index * 100 + number, $0) }
          }
          connection.close()
        }
        ends.notify(on: dispatcher.foreground) { dispatcher.beginShutdown() }
      }

      let counts = tally.takeCounts()
      #expect(counts.answered.sorted() == Array(0..<200))
      for (number, reply) in zip(counts.answered, counts.replies) {
        #expect(reply == .integer(Int64(number % 100 + 1)))
      }
    }

    @Test(
      "tells every reply, although the dispatcher has room for one task, which is always there",
      arguments: [Overflow.reject(limit: 1), .blockCaller(limit: 1, timeout: nil)])
    func limits(overflow: Overflow) throws {
      let server = try RedisServer.start()
      // The loop must look at its descriptors while the task waits.
      let dispatcher = try UVDispatcher(
        .init(overflow: overflow, loopBudget: .init(tasks: 1, time: .seconds(1))))
      let tally = Tally(on: dispatcher)
      let hasEnded = Confined(false, to: dispatcher.foreground)

      @Sendable func keepItFull() {
        if !hasEnded.withValue({ $0 }) { dispatcher.foreground { keepItFull() } }
      }
      dispatcher.runToTheEnd {
        keepItFull()
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          tally.noteEnd(error)
          hasEnded.withValue { $0 = true }
          dispatcher.beginShutdown()
        }
        for number in 0..<1_000 { connection.send(["PING"]) { tally.note(number, $0) } }
        connection.close()
      }

      let counts = tally.takeCounts()
      #expect(counts.answered == Array(0..<1_000))
      #expect(counts.ends == [nil])
    }
  }
}
