import Testing

@testable import Spool

@Suite("A line about a stamp")
struct StampLineTests {
  private static func line(_ path: BytePath) -> StampLine {
    let far = Stamp.Instant(seconds: 253_402_300_799, nanoseconds: 999_999_999)
    let before = Stamp.Instant(seconds: -1, nanoseconds: 0)
    let stamp = Stamp(device: .max, inode: 1 << 63, size: .max, modified: far, changed: before)
    return StampLine(digest: Digest(bytes: 0..<32), stamp: stamp, path: path)
  }

  @Test(
    "is read as it was written",
    arguments: ["a", "a b ", "a\nb\r", "\\", BytePath([0xFF, 0x20]), "10 20"] as [BytePath])
  func isReadBack(path: BytePath) {
    let line = Self.line(path)

    #expect(StampLine(line.text.dropLast()) == line)
  }

  @Test("is none if a part of it is missing")
  func refusesParts() {
    let text = Self.line("x").text.dropLast()

    for length in 0..<text.count { #expect(StampLine(text.prefix(length)) == nil) }
  }
}
