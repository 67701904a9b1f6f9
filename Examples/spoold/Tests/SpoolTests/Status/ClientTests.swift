import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("A client of the status socket")
struct ClientTests {
  private let clients: Clients
  private var patrol: Patrol { clients.patrol }
  private var scratch: Scratch { clients.scratch }

  init() throws { clients = try Clients() }

  private func call() throws -> Caller { try clients.call() }

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

  @Test("is answered by the foreground, and by no worker")
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
    // No timer is left for idle clients.
    #expect(patrol.fake.nextDeadline == nil)
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

  @Test("may send a request of just the length that is allowed")
  func isJustShortEnough() throws {
    let caller = try call()
    let request = "{\"request\":\"rescan\"}"
    caller.send(String(repeating: " ", count: 4_096 - request.utf8.count) + request + "\n")
    try patrol.fake.runWithDescriptors()
    #expect(caller.lines() == [#"{"ok":true}"#])
    try patrol.end()
  }

  @Test("is sent away when the daemon ends")
  func isSentAway() throws {
    let caller = try call()
    try patrol.fake.runWithDescriptors()
    try patrol.end()
    #expect(caller.received().isOver)
  }
}
