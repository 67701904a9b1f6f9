import Testing

@testable import Spool

@Suite("A line of the manifest")
struct ManifestLineTests {
  private static let empty = Digest(bytes: [UInt8](repeating: 0xAB, count: 32))

  /// Names with each byte in front, in the middle and at the end, and some misleading names.
  private static let names: [BytePath] =
    (1...255).filter { $0 != UInt8(ascii: "/") }.map { BytePath([$0, 120, $0, 121, $0]) } + [
      "-", " ", "  two", "*star", "\\n", "\\\\", "a\n", "\r", "a\r\n", "# no comment", "end ",
      "dir/-",
      "SHA256 (x) = y", BytePath([0xC3]), BytePath([0xF0, 0x9F]),
    ]

  @Test("is what sha256sum prints, byte for byte, for every name")
  func isWhatTheToolPrints() throws {
    let scratch = Scratch()
    for name in Self.names { try scratch.write(BytePath("spool").appending(name.bytes), "content") }
    try Trial.run(in: scratch)

    let written = try scratch.read("manifest").split(separator: UInt8(ascii: "\n")).map(Array.init)

    let expected = Scratch()
    // Without the `./` that keeps `-` from being standard input.
    try Shell.run(
      """
      cd "$1"; find . -type f ! -name - -printf '%P\\0' | xargs -0 sha256sum --
      sha256sum ./- dir/-
      """,
      [scratch["spool"]], out: expected["list"])
    let list = try expected.read("list").split(separator: UInt8(ascii: "\n")).map(Array.init)
    #expect(Set(written) == Set(list))
    #expect(written.count == Self.names.count)
    try Shell.run("cd \"$1\"; sha256sum -c --quiet --strict ../manifest", [scratch["spool"]])
  }

  @Test("is read as it was written, for every name", arguments: names)
  func isReadBack(name: BytePath) throws {
    let line = ManifestLine(digest: Self.empty, path: name)
    #expect(line.text.last == UInt8(ascii: "\n"))
    #expect(
      line.text.dropLast().allSatisfy { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })

    #expect(ManifestLine(line.text.dropLast()) == line)
  }

  @Test(
    "is understood in each of the forms that sha256sum -c reads",
    arguments: [
      "\(empty)  a/b", "\(empty) *a/b", "\("\(empty)".uppercased())  a/b", "\(empty)  ./a/b",
      "\(empty)  a/b\r", "\\\(empty)  a/b",
    ])
  func understandsForms(text: String) {
    #expect(
      ManifestLine(Array(text.utf8)[...]) == ManifestLine(digest: Self.empty, path: "a/b"))
  }

  @Test(
    "is none if anything of it is wrong",
    arguments: [
      "", "a", "\(empty)", "\(empty) ", "\(empty)  ", "\(empty) a", "\(empty)\t a", "0\(empty)  a",
      "\("\(empty)".dropLast())  a", "\("\(empty)".dropLast())g  a", "\\\(empty)  a\\b",
      "\\\(empty)  a\\",
      " \(empty)  a", "\(empty)  a\0b", "\(empty)  ./", "SHA256 (a) = \(empty)",
    ])
  func refusesOthers(text: String) {
    #expect(ManifestLine(Array(text.utf8)[...]) == nil)
  }

  @Test("may have been cut anywhere, and nothing else passes for a part of one")
  func knowsItsParts() {
    for name in ["a name" as BytePath, "a\nname"] {
      let text = ManifestLine(digest: Self.empty, path: name).text
      for length in 0..<text.count { #expect(ManifestLine.mayBegin(with: text[..<length])) }
    }

    for text in ["hello", "\(Self.empty)x", "\(Self.empty) x", "\\\\", "\(Self.empty)\t"] {
      #expect(!ManifestLine.mayBegin(with: Array(text.utf8)[...]))
    }
  }
}
