import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("A client of the status socket", .oneAtATime)
struct ClientTests {
  private let scratch = Scratch()
  private let patrol: Patrol

  init() throws {
    let path = scratch["socket"]
    patrol = try Patrol(in: scratch) { configuration in
      configuration.status = path
      configuration.clients.clients = 3
      configuration.clients.idle = .seconds(30)
    }
  }

  private func call() throws -> Caller { try Caller(scratch["socket"]) }

  @Test("is answered line by line, in its order")
  func isAnswered() throws {
    try scratch.write("spool/a", "a")
    try patrol.advance(by: .seconds(1))
    let caller = try call()
    caller.send("{\"request\":\"status\"}\n{ \"request\" : \"dump\" }\n")
    try patrol.fake.runWithDescriptors()

    let lines = caller.lines()
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix(#"{"ok":true,"state":"keeping","spool":""#) == true)
    #expect(lines.first?.contains(#""files":1,"#) == true)
    #expect(lines.first?.contains(#""clients":1,"#) == true)
    #expect(lines.last?.hasPrefix(#"{"ok":true,"dump":["state: keeping","#) == true)
    try patrol.end()
  }

  @Test("is answered by the foreground, and by nobody else")
  func isAnsweredByTheForeground() throws {
    let caller = try call()
    caller.send("{\"request\":\"status\"}\n")
    try patrol.fake.makeReady(#require(patrol.daemon.server).descriptor, .readable)
    try patrol.fake.runNextForegroundTask()  // lets it in
    #expect(caller.lines() == [])
    try patrol.fake.runWithDescriptors()
    #expect(caller.lines().count == 1)
    try patrol.end()
  }

  @Test("may have the spool gone through again")
  func mayRescan() throws {
    let caller = try call()
    caller.send("{\"request\":\"rescan\"}\n")
    try patrol.fake.runWithDescriptors()

    #expect(caller.lines() == [#"{"ok":true}"#])
    #expect(patrol.state { $0.counts.scans } == 2)
    try patrol.end()
  }

  @Test("may send a request in pieces")
  func maySendPieces() throws {
    let caller = try call()
    for byte in "{\"request\":\"rescan\"}\n".utf8 {
      #expect(caller.lines() == [])
      caller.send([byte])
      try patrol.fake.runWithDescriptors()
    }
    #expect(caller.lines().count == 1)
    try patrol.end()
  }

  @Test("may end its side, also in the middle of a line, and is answered all the same")
  func mayEndItsSide() throws {
    let caller = try call()
    caller.send("{\"request\":\"rescan\"}\n{\"request\":\"status\"}")
    caller.finish()
    try patrol.fake.runWithDescriptors()

    let (text, isOver) = caller.received()
    #expect(text.split(separator: "\n").count == 2)
    #expect(isOver)
    #expect(patrol.daemon.server?.clientCount == 0)
    try patrol.end()
  }

  @Test(
    "is told what is wrong with a line, and may go on",
    arguments: [
      ("hello", "found 'h' where '{' is expected, at byte 1"),
      ("", "found the end of the line where '{' is expected, at byte 1"),
      ("{}", #"\"request\" is missing"#),
      (#"{"request":1}"#, #"\"request\" is no string"#),
      (#"{"request":"stop"}"#, #"there is no request \"stop\""#),
      (#"{"request":"status","id":1}"#, #"a request has no \"id\""#),
      (#"{"request":"status","request":"dump"}"#, #"there is a second \"request\", at byte 21"#),
      (#"{"request":{}}"#, "found '{' where a string, a number, true, false or null is expected"),
    ])
  func isToldWhatIsWrong(line: String, reason: String) throws {
    let caller = try call()
    caller.send("\(line)\n{\"request\":\"rescan\"}\n")
    try patrol.fake.runWithDescriptors()

    let lines = caller.lines()
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix(#"{"ok":false,"error":""#) == true)
    #expect(lines.first?.contains(reason) == true, "\(lines)")
    #expect(lines.last == #"{"ok":true}"#)
    try patrol.end()
  }

  @Test("whose request is too long is told so, and sent away", arguments: [4_097, 100_000])
  func isTooLong(length: Int) throws {
    let caller = try call()
    for _ in 0..<length / 1_000 { caller.send(String(repeating: "x", count: 1_000)) }
    caller.send(String(repeating: "x", count: length % 1_000))
    try patrol.fake.runWithDescriptors()

    let (text, isOver) = caller.received()
    #expect(text.contains("a request has at most 4096 bytes"))
    #expect(isOver)
    #expect(patrol.daemon.server?.clientCount == 0)
    try patrol.end()
  }

  @Test("may send a request of just the length that is allowed")
  func isJustShortEnough() throws {
    let caller = try call()
    let request = "{\"request\":\"rescan\"}"
    caller.send(String(repeating: " ", count: 4_096 - request.utf8.count) + request + "\n")
    try patrol.fake.runWithDescriptors()
    #expect(caller.lines() == [#"{"ok":true}"#])
    try patrol.end()
  }

  @Test("that never reads is not listened to, and sent away when it has done nothing for a while")
  func neverReads() throws {
    let caller = try call()
    let requests = String(repeating: "{\"request\":\"dump\"}\n", count: 200)
    while caller.send(requests) > 0 { try patrol.fake.runWithDescriptors(rounds: 100) }
    let before = patrol.fake.ledger.completed
    try patrol.fake.runWithDescriptors(rounds: 100)
    // Nothing is ready: it can neither be written to nor is it read from.
    #expect(patrol.fake.ledger.completed == before)

    try patrol.advance(by: .seconds(30))
    #expect(patrol.daemon.server?.clientCount == 0)
    try patrol.end()
  }

  @Test("that does nothing is sent away in time, and not before")
  func isIdle() throws {
    let idle = try call()
    try patrol.fake.runWithDescriptors()
    try patrol.advance(by: .seconds(20))
    let busy = try call()
    try patrol.fake.runWithDescriptors()

    try patrol.advance(by: .seconds(10) - .nanoseconds(1))
    #expect(!idle.received().isOver)
    try patrol.advance(by: .nanoseconds(1))
    #expect(idle.received().isOver)
    #expect(!busy.received().isOver)

    busy.send("{\"request\":\"rescan\"}\n")
    try patrol.advance(by: .seconds(20))
    #expect(!busy.received().isOver)
    try patrol.advance(by: .seconds(10))
    #expect(busy.received().isOver)
    // And then nobody waits for a time any more.
    #expect(patrol.fake.nextDeadline == nil)
    try patrol.end()
  }

  @Test("too many is told so; there is room again when one has gone")
  func isTooMany() throws {
    let first = try call()
    let second = try call()
    let third = try call()
    try patrol.fake.runWithDescriptors()
    let fourth = try call()
    try patrol.fake.runWithDescriptors()

    let (text, isOver) = fourth.received()
    #expect(text.contains("there are 3 clients already, which is the limit"))
    #expect(isOver)

    first.finish()
    try patrol.fake.runWithDescriptors()
    let fifth = try call()
    fifth.send("{\"request\":\"rescan\"}\n")
    try patrol.fake.runWithDescriptors()
    #expect(fifth.lines().count == 1)
    _ = consume second
    _ = consume third
    try patrol.end()
  }

  @Test("that has gone before its answer harms nobody")
  func hasGone() throws {
    do {
      let caller = try call()
      caller.send(String(repeating: "{\"request\":\"dump\"}\n", count: 50))
    }
    try patrol.fake.runWithDescriptors()
    #expect(patrol.daemon.server?.clientCount == 0)
    try patrol.end()
  }

  @Test("waits outside while there is no descriptor left, without the loop spinning")
  func waitsOutside() throws {
    let caller = try call()
    caller.send("{\"request\":\"rescan\"}\n")
    try withoutSpareDescriptors { try patrol.fake.runWithDescriptors(rounds: 100) }

    #expect(
      patrol.said == ["cannot go on: Too many open files (accept); it is tried again every second"])
    #expect(caller.lines() == [])
    try patrol.advance(by: .seconds(1))
    #expect(caller.lines().count == 1)
    #expect(patrol.said.count == 2)
    try patrol.end()
  }

  @Test("is sent away when the daemon ends")
  func isSentAway() throws {
    let caller = try call()
    try patrol.fake.runWithDescriptors()
    try patrol.end()
    #expect(caller.received().isOver)
  }

  /// Leaves this process only the descriptors that it has.
  private func withoutSpareDescriptors(_ body: () throws -> Void) throws {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var before = rlimit()
    unsafe getrlimit(resource, &before)
    // poll(2) wants to be allowed one.
    var none = rlimit(rlim_cur: 1, rlim_max: before.rlim_max)
    unsafe setrlimit(resource, &none)
    defer { unsafe setrlimit(resource, &before) }
    try body()
  }
}
