// Counts this run in a Redis server on this machine, and uses its reply on a worker.
import Redis
import UVDispatch

let dispatcher = try UVDispatcher()
dispatcher.foreground {
  let server = RedisAddress.tcp(host: "127.0.0.1", port: 6379)
  let connection = RedisConnection(to: server, on: dispatcher) { error in
    if let error { print(error) }
    dispatcher.beginShutdown()
  }
  connection.send(["INCR", "visits"]) { reply in
    dispatcher.background { print(reply) }  // a worker may take its time with it
  }
  connection.close()  // once it has its reply
}
dispatcher.run()
