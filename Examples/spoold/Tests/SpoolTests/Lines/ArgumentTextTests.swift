import Testing

@testable import Spool

@Suite("Arguments that are no UTF-8")
struct ArgumentTextTests {
  @Test(
    "come through the parser as they are",
    arguments: [
      Array("plain".utf8), Array("späß\u{1F600}".utf8), [0xFF], [0x61, 0xC3, 0x2F, 0xA4],
      Array(0x01...0xFF), Array("\u{10FF80}".utf8), [],
    ])
  func comeThrough(bytes: [UInt8]) {
    #expect(ArgumentText.path(ArgumentText.text(of: bytes)).bytes == bytes)
  }
}
