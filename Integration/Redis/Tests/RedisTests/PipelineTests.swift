import Redis
import Testing
import UVDispatch

extension OnOurLoop {
  @Suite("A hundred thousand commands")
  struct PipelineTests {
    static let total = 100_000
    /// How many commands are in flight at most, so that neither side buffers more than their replies.
    static let window = 1_000

    @Test("are answered in order, each with its own reply, while workers work")
    func pipelined() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let hashing = Hashing()
      let checks = dispatcher.makeQueue(label: "check", width: 1)
      let check = Confined(Check(), to: checks)
      let unchecked = Confined([Reply](), to: dispatcher.foreground)
      let pipeline = Pipeline(Self.total, window: Self.window, on: dispatcher, Check.command)

      let report = dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          #expect(error == nil)
          hashing.end()
          dispatcher.beginShutdown()
        }
        hashing.begin(on: dispatcher)
        pipeline.start(connection) { number, reply in
          let replies = unchecked.withValue { unchecked -> [Reply] in
            unchecked.append(Reply(number: number, reply: reply))
            guard unchecked.count == Self.window else { return [] }
            defer { unchecked = [] }
            return unchecked
          }
          guard !replies.isEmpty else { return }
          checks {
            check.withValue { $0.look(at: replies, hashes: hashing.right) }
            guard number == Self.total - 1 else { return }
            dispatcher.foreground { connection.close() }
          }
        }
      }

      let found = check.takeValue()
      #expect(found.looked == Self.total)
      #expect(found.wrong == [])
      #expect(found.hashesAtFirst < found.hashesAtLast)
      #expect(hashing.wrong == 0)
      #expect(pipeline.takeCounts().mostInFlight == Self.window)
      #expect(report.ledger.refused == 0)
    }
  }
}

/// Checks on a worker whether replies belong to their commands, and have their order.
private struct Check {
  var looked = 0
  /// The first few places at which another command was answered, or another reply came.
  var wrong: [Int] = []
  var hashesAtFirst = 0
  var hashesAtLast = 0

  /// Every other command counts on the server, so that its reply tells how many came before it.
  static func command(_ number: Int) -> RedisCommand {
    number.isMultiple(of: 2) ? ["INCR", "counter"] : ["ECHO", "this is number \(number)"]
  }

  mutating func look(at replies: [Reply], hashes: Int) {
    if looked == 0 { hashesAtFirst = hashes }
    hashesAtLast = hashes
    for reply in replies {
      let expected: RedisReply =
        looked.isMultiple(of: 2)
        ? .integer(Int64(looked / 2 + 1)) : .text("this is number \(looked)")
      if reply.number != looked || reply.reply != .success(expected), wrong.count < 10 {
        wrong.append(looked)
      }
      looked += 1
    }
  }
}

private struct Reply {
  let number: Int
  let reply: Result<RedisReply, RedisError>
}
