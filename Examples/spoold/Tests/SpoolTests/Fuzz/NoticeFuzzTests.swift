import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("Notices that the kernel would not give")
struct NoticeFuzzTests {
  private static func notice(_ watch: Int32, _ mask: UInt32, _ name: [UInt8], pad: Int) -> [UInt8] {
    let length = UInt32(name.count + pad)
    let words = [UInt32(bitPattern: watch), mask, 7, length]
    return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
      + name + [UInt8](repeating: 0, count: pad)
  }

  @Test("are taken apart without reading beyond their end, and whole ones are what they were")
  func parsing() {
    let whole = Self.notice(1, 2, Array("name".utf8), pad: 12) + Self.notice(-1, 0x4000, [], pad: 0)
    let (events, isWhole) = WatchEvent.parse(whole[...])
    #expect(isWhole)
    #expect(events.map(\.name) == [Array("name".utf8), []])
    #expect(events.map(\.watch.number) == [1, -1])
    #expect(events[1].meansOverflow)

    for length in whole.indices {
      let (events, isWhole) = WatchEvent.parse(whole[..<length])
      #expect(isWhole == (length == 0 || length == 32))
      #expect(events.count == (length < 32 ? 0 : 1))
    }
  }

  @Test("of any kind change nothing that is true", arguments: 0..<8 as Range<UInt64>)
  func storms(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let scratch = Scratch()
    for name in ["a", "d/b", "d/e/c"] as [BytePath] {
      try scratch.write("spool/\(name)", "\(name)")
    }
    let vigil = try Vigil(in: scratch)
    let names = ["a", "d", "b", "e", "c", "none", "", ".."].map { Array($0.utf8) }
    for _ in 0..<40 {
      let bytes = (0..<25).flatMap { _ in
        // Anything but the end of a watch, which only the kernel can decide.
        let bits = UInt32.random(in: .min ... .max, using: &dice) & ~0x8000
        let mask = Bool.random(using: &dice) ? bits : 1 << (bits % 31) & ~0x8000
        return Self.notice(
          Int32.random(in: -1...6, using: &dice), mask, names.randomElement(using: &dice)!,
          pad: Int.random(in: 0...4, using: &dice))
      }
      let (events, _) = WatchEvent.parse(bytes[...])
      let keeper = vigil.keeper
      vigil.fake.foreground.async(label: "notices") {
        keeper.state.withValue { $0.takeIn(events, at: .start) }
        keeper.goOn()
      }
      try vigil.fake.runUntilIdle()
    }
    try vigil.settle()
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines(), "seed \(seed)")
    // It still takes in what really happens.
    try scratch.write("spool/d/e/c", "changed")
    try scratch.write("spool/d/new", "new")
    try vigil.settle()
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines(), "seed \(seed)")
    #expect(try vigil.end().isEmpty)
  }
}
