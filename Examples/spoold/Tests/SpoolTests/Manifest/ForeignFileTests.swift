import Testing

@testable import Spool

@Suite("A file that is no manifest")
struct ForeignFileTests {
  private static let digest = String(repeating: "a", count: 64)

  @Test(
    "is refused, by the line that is none, and not changed",
    arguments: [
      ("hello", 1), ("hello\n", 1), ("\n", 1), ("\(digest)  a\n\nmore\n", 2),
      ("\(digest)  a\n\(digest)  b\n\(digest)b\n", 3), ("\(digest)  a\nrest of it", 2),
      ("SHA256 (a) = \(digest)\n", 1), (String(repeating: "x", count: 100_000), 1),
    ])
  func isRefused(text: String, line: Int) throws {
    let scratch = Scratch()
    try scratch.makeDirectory("spool")
    try scratch.write("manifest", text)

    #expect(throws: Stop.foreign(scratch["manifest"], line: line)) { try Trial(in: scratch) }

    #expect(try scratch.read("manifest") == Array(text.utf8))
    #expect(!scratch.exists("manifest.spoold"))
  }

  @Test("is refused in the place of the stamps as well", arguments: ["spool", "hello\n", "x\ny\n"])
  func isRefusedBesideIt(text: String) throws {
    let scratch = Scratch()
    try scratch.makeDirectory("spool")
    try scratch.write("manifest.spoold", text + " ")

    #expect(throws: Stop.foreign(scratch["manifest.spoold"], line: 1)) { try Trial(in: scratch) }

    #expect(try scratch.read("manifest.spoold") == Array((text + " ").utf8))
  }
}
