import Synchronization
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("A file that arrives while the spool is kept")
struct ArrivalTests {
  @Test("is read when it has been left alone for as long as it takes to settle, and not before")
  func isReadWhenSettled() throws {
    let scratch = Scratch()
    let vigil = try Vigil(in: scratch)
    let file = try scratch.open("spool/a")  // for as long as the writer may write more
    _ = try file.write(Array("one".utf8)[...])
    try vigil.hear()

    try vigil.fake.advanceTime(by: .milliseconds(100) - .nanoseconds(1))
    #expect(vigil.counts.read == Amount())

    try vigil.fake.advanceTime(by: .nanoseconds(1))
    #expect(vigil.counts.read == Amount(files: 1, bytes: 3))
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
    _ = consume file
  }

  @Test("is read once, however often it is written to before it settles")
  func isReadOnce() throws {
    let scratch = Scratch()
    let vigil = try Vigil(in: scratch)
    let file = try scratch.open("spool/a")
    for _ in 1...20 {
      _ = try file.write(Array("piece".utf8)[...])
      try vigil.hear()
      try vigil.fake.advanceTime(by: .milliseconds(99))
    }
    #expect(vigil.counts.read.files == 0)

    try vigil.settle()

    #expect(vigil.counts.read.files == 1)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  @Test("is tried all the same when it is written to for ever")
  func isNotStarved() throws {
    let scratch = Scratch()
    let vigil = try Vigil(in: scratch)
    let file = try scratch.open("spool/a")
    let began = vigil.fake.now
    while vigil.counts.read.files == 0 {
      _ = try file.write(Array("piece".utf8)[...])
      try vigil.hear()
      try vigil.fake.advanceTime(by: .milliseconds(50))
      try #require(began.duration(to: vigil.fake.now) < .seconds(10))
    }

    #expect(began.duration(to: vigil.fake.now) == .seconds(5))
    #expect(try vigil.end().isEmpty)
  }

  @Test("is read sooner when its writer has closed it, or has put it there whole")
  func isReadSoonWhenComplete() throws {
    let scratch = Scratch()
    try scratch.write("elsewhere", "whole")
    let vigil = try Vigil(in: scratch)
    try scratch.write("spool/a", "closed")
    try scratch.rename("elsewhere", "spool/b")
    try vigil.hear()

    try vigil.fake.advanceTime(by: .milliseconds(25))

    #expect(vigil.counts.read.files == 2)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  @Test("has its line at once, without another manifest in the place of the old one")
  func isAppended() throws {
    let scratch = Scratch()
    for name in ["a", "b"] { try scratch.write("spool/\(name)", name) }
    let vigil = try Vigil(in: scratch)
    let before = try scratch.read("manifest")
    try scratch.write("spool/c", "c")
    try vigil.settle()

    #expect(try scratch.read("manifest").starts(with: before))
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(vigil.replacements == 0)
    #expect(try vigil.end().isEmpty)
  }

  @Test("is passed over if it is no regular file, or one of the manifest's own")
  func isPassedOver() throws {
    let scratch = Scratch()
    let vigil = try Vigil(in: scratch, manifest: "spool/manifest")
    try Shell.run(
      """
      cd "$1"; mkfifo pipe; ln -s /etc/passwd link; echo a >a; cd ..
      python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind("spool/socket")'
      """, [scratch["spool"]])
    try vigil.settle()

    #expect(vigil.told == [])
    #expect(vigil.counts.read.files == 1)
    #expect(try scratch.sortedLines("spool/manifest").map { $0.suffix(3) } == ["  a"])
    #expect(try vigil.end().isEmpty)
  }

  @Test("is not read twice at a time, but once more afterwards")
  func isReadByOne() throws {
    let scratch = Scratch()
    let vigil = try Vigil(in: scratch)
    try scratch.write("spool/a", "one")
    try vigil.hear()
    try vigil.fake.advanceTime(by: .milliseconds(25), driving: .loop)
    try scratch.write("spool/a", "two")
    try vigil.notice()
    try vigil.fake.advanceTime(by: .seconds(1), driving: .loop)
    #expect(vigil.fake.pendingTasks.filter { $0.task.label == "read a" }.count == 1)

    try vigil.settle()
    #expect(vigil.counts.read.files == 2)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  @Test("while it is read is read again, because it was written to in that time")
  func changesWhileItIsRead() throws {
    let scratch = Scratch()
    let reads = Atomic(0)
    let vigil = try Vigil(in: scratch) { path, _ in
      if reads.add(1, ordering: .relaxed).newValue <= 3 { try? scratch.append("spool/a", "more") }
    }
    try scratch.write("spool/a", "begun")
    try vigil.settle()

    #expect(vigil.told == [.problem(.changed("a"))])
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }
}
