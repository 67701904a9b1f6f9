import Redis
import Testing
import UVDispatch

extension OnOurLoop {
  @Suite("A command")
  struct RoundTripTests {
    @Test(
      "is answered by a real server, over both kinds of address",
      arguments: RedisServer.Kind.allCases)
    func setAndGet(kind: RedisServer.Kind) throws {
      let server = try RedisServer.start(on: kind)
      let replies = Notes<Result<RedisReply, RedisError>>()
      let ends = Notes<RedisError?>()
      let dispatcher = try UVDispatcher()

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { error in
          ends.add(error)
          dispatcher.beginShutdown()
        }
        connection.send(["SET", "greeting", "hello"]) { replies.add($0) }
        connection.send(["GET", "greeting"]) { reply in
          replies.add(reply)
          connection.close()
        }
      }

      #expect(replies.all == [.success(.status("OK")), .success(.text("hello"))])
      #expect(ends.all == [nil])
    }

    @Test("carries any bytes, and every kind of reply comes back")
    func kindsOfReply() throws {
      let server = try RedisServer.start()
      let everyByte = Array(UInt8.min...UInt8.max)
      let commands: [(RedisCommand, RedisReply)] = [
        (RedisCommand([Array("SET".utf8), [], everyByte]), .status("OK")),
        (["GET", ""], .bytes(everyByte)),
        (["SET", "empty", ""], .status("OK")),
        (["GET", "empty"], .bytes([])),
        (["GET", "nothing"], .null),
        (["INCRBY", "number", "-9223372036854775808"], .integer(.min)),
        (["RPUSH", "list", "a", "b"], .integer(2)),
        (["LRANGE", "list", "0", "-1"], .array([.text("a"), .text("b")])),
        (
          ["EVAL", "return {1, {'two', false}}", "0"],
          .array([.integer(1), .array([.text("two"), .null])])
        ),
        (
          ["INCR", "list"],
          .refusal("WRONGTYPE Operation against a key holding the wrong kind of value")
        ),
      ]
      let replies = Notes<Result<RedisReply, RedisError>>()
      let dispatcher = try UVDispatcher()

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { _ in
          dispatcher.beginShutdown()
        }
        for (command, _) in commands { connection.send(command) { replies.add($0) } }
        connection.close()
      }

      #expect(replies.all == commands.map { .success($0.1) })
    }

    @Test("is answered later, in a task of the foreground, whose reply a worker uses")
    func whereItIsAnswered() throws {
      let server = try RedisServer.start()
      let notes = Notes<String>()
      let dispatcher = try UVDispatcher()

      dispatcher.runToTheEnd {
        let connection = RedisConnection(to: server.address, on: dispatcher) { _ in
          notes.add(dispatcher.isForeground ? "ended on the foreground" : "ended elsewhere")
        }
        connection.send(["ECHO", "text"]) { reply in
          notes.add(dispatcher.isForeground ? "answered on the foreground" : "answered elsewhere")
          dispatcher.background {
            notes.add(
              "used on \(dispatcher.isForeground ? "the foreground" : "a worker"): \(reply)")
            dispatcher.foreground { dispatcher.beginShutdown() }
          }
        }
        notes.add("sent")
      }

      #expect(
        notes.all == [
          "sent", "answered on the foreground",
          "used on a worker: \(Result<RedisReply, RedisError>.success(.text("text")))",
          "ended on the foreground",
        ])
    }
  }
}
