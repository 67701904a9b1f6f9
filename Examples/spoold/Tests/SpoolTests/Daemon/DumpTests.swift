import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("The daemon, on SIGUSR1")
struct DumpTests {
  @Test("says what it is doing, a line for each thing")
  func says() throws {
    let scratch = Scratch()
    try scratch.write("spool/a", "a")
    let patrol = try Patrol(in: scratch)
    try patrol.fake.raise(.user1)
    try patrol.fake.runUntilIdle()

    for line in [
      "state: keeping", "spool: \(scratch["spool"])", "files: 1", "directories_watched: 1",
      "trouble: []",
    ] { #expect(patrol.said.contains(line), "\(patrol.said)") }
    #expect(patrol.said.last?.hasPrefix("tasks: ") == true)
    try patrol.end()
  }

  @Test("names what is being read, and what cannot be")
  func names() throws {
    let scratch = Scratch()
    let patrol = try Patrol(in: scratch)
    patrol.daemon.keeper.state.withValue { state in
      state.reading["now"] = Pending.Attempt()
      state.tell(.unreadable("shut\n", SystemError(call: "openat", code: 13)))
    }
    try patrol.fake.raise(.user1)
    try patrol.fake.runUntilIdle()

    #expect(patrol.said.contains(#"reading_now: ["now"]"#))
    #expect(patrol.said.contains(#"problems: ["shut\\n: Permission denied"]"#))
    patrol.daemon.keeper.state.withValue { $0.reading = [:] }
    try patrol.end()
  }

  @Test("writes behind what its file has, and says if it cannot")
  func writes() throws {
    let scratch = Scratch()
    let path = scratch["dump"]
    let patrol = try Patrol(in: scratch) { $0.dump = path }
    try scratch.write("dump", "before\n")
    try patrol.fake.raise(.user1)
    try patrol.fake.runUntilIdle()

    let text = String(decoding: try scratch.read("dump"), as: UTF8.self)
    #expect(text.hasPrefix("before\nstate: keeping\n"))
    #expect(text.hasSuffix("\n"))
    #expect(patrol.said == [])

    try scratch.remove("dump")
    try scratch.makeDirectory("dump")
    try patrol.fake.raise(.user1)
    try patrol.fake.runUntilIdle()
    #expect(patrol.said == ["cannot write the dump to \(path): Is a directory (openat)"])
    try patrol.end()
  }
}
