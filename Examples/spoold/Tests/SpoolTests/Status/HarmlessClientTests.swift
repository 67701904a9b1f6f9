import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("A client of the status socket that behaves badly")
struct HarmlessClientTests {
  private let clients: Clients
  private var patrol: Patrol { clients.patrol }

  init() throws { clients = try Clients() }

  private func call() throws -> Caller { try clients.call() }

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

  @Test("that never reads is not listened to, and sent away when it has done nothing for a while")
  func neverReads() throws {
    let caller = try call()
    let requests = String(repeating: "{\"request\":\"dump\"}\n", count: 200)
    while caller.send(requests) > 0 { try patrol.fake.runWithDescriptors(rounds: 100) }
    let before = patrol.fake.ledger.completed
    try patrol.fake.runWithDescriptors(rounds: 100)
    // Nothing is ready: the client can neither be written to nor read from.
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
    // No timer is left then.
    #expect(patrol.fake.nextDeadline == nil)
    try patrol.end()
  }

  @Test("is sent away at once, even if a child has its connection open still")
  func endsWithItsOwner() throws {
    var ends: [Int32] = [0, 0]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let client = Descriptor(owning: ends[1])
    var connection: StatusClient.Connection? = .init(Descriptor(owning: ends[0]))
    #expect(connection?.descriptor.number == ends[0])
    // A child process has such a copy between its fork and its new program.
    let copy = Descriptor(owning: dup(ends[0]))

    connection = nil

    var byte: UInt8 = 0
    #expect(unsafe recv(client.number, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
    _ = consume copy
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

  @Test("that has gone before its answer does no harm")
  func hasGone() throws {
    do {
      let caller = try call()
      caller.send(String(repeating: "{\"request\":\"dump\"}\n", count: 50))
    }
    try patrol.fake.runWithDescriptors()
    #expect(patrol.daemon.server?.clientCount == 0)
    try patrol.end()
  }

  // In a process of its own: the limit is the process's, and other tests open files.
  @Test("waits outside while there is no descriptor left, without the loop spinning")
  func waitsOutside() async {
    await #expect(processExitsWith: .success) {
      let clients = try Clients()
      let patrol = clients.patrol
      let caller = try clients.call()
      caller.send("{\"request\":\"rescan\"}\n")
      let before = patrol.fake.ledger.completed
      try withoutSpareDescriptors { try patrol.fake.runWithDescriptors(rounds: 100) }
      #expect(patrol.fake.ledger.completed == before + 1)

      #expect(
        patrol.said == [
          "cannot go on: Too many open files (accept); it is tried again every second"
        ]
      )
      #expect(caller.lines() == [])
      try patrol.advance(by: .seconds(1))
      #expect(caller.lines().count == 1)
      #expect(patrol.said.count == 2)
      try patrol.end()
    }
  }
}

/// Leaves this process only the descriptors that it has.
private func withoutSpareDescriptors(_ body: () throws -> Void) throws {
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  var before = rlimit()
  unsafe getrlimit(resource, &before)
  // poll(2) needs a limit of at least one.
  var none = rlimit(rlim_cur: 1, rlim_max: before.rlim_max)
  unsafe setrlimit(resource, &none)
  defer { unsafe setrlimit(resource, &before) }
  try body()
}
