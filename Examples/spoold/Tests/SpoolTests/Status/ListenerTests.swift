import Glibc
import Testing

@testable import Spool

@Suite("The status socket")
struct ListenerTests {
  private static func mode(_ path: BytePath) -> mode_t {
    var status = stat()
    _ = unsafe path.withCString { unsafe lstat($0, &status) }
    return status.st_mode
  }

  // In a process of its own: the mask is the process's, and other tests make files.
  @Test("is there for its owner and group, and gone when its listener is")
  func isThere() async {
    await #expect(processExitsWith: .success) {
      let scratch = Scratch()
      umask(0o077)
      do {
        let listener = try Listener(scratch["s"])
        #expect(Self.mode(scratch["s"]) == S_IFSOCK | 0o660)
        _ = consume listener
      }
      #expect(!scratch.exists("s"))
    }
  }

  @Test("is made anew where no process listens any more")
  func replacesStale() throws {
    let scratch = Scratch()
    try Shell.run(
      "python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' \"$1\"",
      [scratch["s"]])
    #expect(scratch.exists("s"))

    let listener = try Listener(scratch["s"])
    _ = try Caller(scratch["s"])
    #expect(try listener.accept() != nil)
  }

  @Test("is not taken from a process that listens there, nor from what is no socket")
  func takesNothing() throws {
    let scratch = Scratch()
    let listener = try Listener(scratch["s"])
    try scratch.write("file", "x")
    for name in ["s", "file"] as [BytePath] {
      let refusal = #expect(throws: ListenRefusal.self) { _ = try Listener(scratch[name]) }
      #expect(refusal == .inUse(scratch[name]))
    }
    #expect(Self.mode(scratch["s"]) & S_IFMT == S_IFSOCK)
    #expect(try scratch.read("file").count == 1)
    _ = consume listener
  }

  @Test("is not taken from a process that listens, and has no time for another client")
  func takesNothingFromTheBusy() throws {
    let scratch = Scratch()
    let listener = try Listener(scratch["s"])
    let address = try SocketAddress(scratch["s"])
    var waiting: [StatusClient.Connection] = []
    let busy = #expect(throws: SystemError.self) {
      while waiting.count < 10_000 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let client = StatusClient.Connection(Descriptor(owning: socket(AF_UNIX, kind, 0)))
        try address.connect(client.descriptor)
        waiting.append(client)
      }
    }
    #expect(busy?.code == EAGAIN)

    let refusal = #expect(throws: ListenRefusal.self) { _ = try Listener(scratch["s"]) }
    #expect(refusal == .inUse(scratch["s"]))
    #expect(scratch.exists("s"))
    _ = consume listener
  }

  @Test("that another process has replaced is left to it")
  func leavesOthers() throws {
    let scratch = Scratch()
    do {
      let listener = try Listener(scratch["s"])
      try scratch.remove("s")
      try scratch.write("s", "theirs")
      _ = consume listener
    }
    #expect(scratch.exists("s"))
  }

  @Test("has a path that the system can take")
  func isTooLong() throws {
    let path = BytePath("/tmp/\(String(repeating: "x", count: 103))")
    #expect(throws: ListenRefusal.tooLong(path, most: 107)) { _ = try Listener(path) }
    #expect(throws: ListenRefusal.system("/no/where", SystemError(call: "bind", code: ENOENT))) {
      _ = try Listener("/no/where")
    }
  }

  @Test("may be one that another process has made, which is then to remove it")
  func isAdopted() throws {
    let scratch = Scratch()
    let theirs = try Listener(scratch["s"])
    do {
      let listener = try Listener(adopting: dup(theirs.descriptor.number))
      _ = try Caller(scratch["s"])
      #expect(try listener.accept() != nil)
      #expect(try listener.accept() == nil)
    }
    #expect(scratch.exists("s"))
  }

  @Test("is refused if it is something else")
  func isNoListener() throws {
    let scratch = Scratch()
    try scratch.write("file", "")
    let file = unsafe scratch["file"].withCString { unsafe open($0, O_RDONLY) }
    let pair = try #require(Self.socketPair())
    let internet = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    for number in [file, internet, pair.0, pair.1, 9_999] {
      let before = Self.file(of: number)
      let refusal = #expect(throws: ListenRefusal.self) { _ = try Listener(adopting: number) }
      #expect(
        refusal?.description.hasPrefix("cannot use descriptor \(number) as the status socket")
          == true)
      // The descriptor is not left open, though another file may have the number by now.
      let after = Self.file(of: number)
      #expect(before != nil || number == 9_999)
      #expect(after == nil || after != before)
    }
  }

  /// Identifies the file that is open under a number.
  private static func file(of number: Int32) -> ino_t? {
    var status = stat()
    return unsafe fstat(number, &status) == 0 ? status.st_ino : nil
  }

  private static func socketPair() -> (Int32, Int32)? {
    var numbers: [Int32] = [0, 0]
    let result = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers)
    return result == 0 ? (numbers[0], numbers[1]) : nil
  }
}
