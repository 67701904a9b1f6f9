import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch

@Suite("Tables for unwinding that make no sense")
struct DamagedTablesTests {
  /// The frames of a thread, and a copy of the tables of the image that its function is in.
  private struct Case {
    let sample: StackSample
    let frames: [Unwinder.Frame]
    let image: LoadedImage
    /// Where in the copy the entries of the frames are, and what they have in common.
    let entries: [Int]

    init() throws {
      let thread = StuckThread { place in
        RandomStack(seed: 7).enter {
          place.arrive()
          while place.isStuck {}
        }
      }
      defer { thread.letGo() }
      try #require(StackSample.prepare(signal: 23) == 0)
      let sample = try StackSample.take(of: thread.id, signal: 23)
      self.sample = sample
      frames = UnwinderTests.unwinder.frames(of: sample)
      let first = try #require(frames.first)
      let image = try #require(UnwinderTests.unwinder.image(of: first.address))
      self.image = image
      entries = try frames.map(\.address).filter { image.code.contains($0) }.flatMap { address in
        let entry = try UnwindTable.entry(for: address - 1, in: image)
        var reader = TableReader(image.tables, at: entry + 4)
        let common = reader.at - UInt64(try reader.read(UInt32.self))
        return [entry, common].map { Int($0 - image.tables.address) }
      }
    }
  }

  @Test("end the frames, and neither the process nor the search", arguments: 0..<10)
  func damaged(seed: Int) throws {
    let original = try Case()
    let tables = original.image.tables
    let index = Int(original.image.index - tables.address)
    var bytes = (0..<tables.size).map { tables.load(UInt8.self, at: tables.address + UInt64($0))! }
    var dice = Dice(seed: seed)
    var damages = 0
    let count = ThisProcess.isSanitized ? 40 : 300
    for _ in 0..<count {
      var before: [(Int, UInt8)] = []
      for _ in 0...dice.roll(4) {
        let start = dice.roll(8) == 0 ? index : original.entries[dice.roll(original.entries.count)]
        let at = min(start + dice.roll(48), bytes.count - 1)
        before.append((at, bytes[at]))
        bytes[at] = dice.roll(3) == 0 ? [0, 0x7f, 0x80, 0xff][dice.roll(4)] : UInt8(dice.roll(256))
      }
      unsafe bytes.withUnsafeBytes { bytes in
        let image = LoadedImage(
          path: original.image.path, base: original.image.base, code: original.image.code,
          tables: unsafe LoadedBytes(bytes, countedFrom: tables.address),
          index: original.image.index)
        let others = UnwinderTests.unwinder.images.filter { $0.base != image.base }
        let frames = Unwinder(images: [image] + others).frames(of: original.sample)
        #expect(frames.count <= 64 && frames.first == original.frames.first)
        if frames != original.frames { damages += 1 }
      }
      for (at, byte) in before.reversed() { bytes[at] = byte }
    }
    // Most bytes matter.
    #expect(damages > count / 4)
  }

  @Test("are read no further than they go")
  func short() {
    let bytes: [UInt8] = [0x80, 0x80, 0x80]
    unsafe bytes.withUnsafeBytes { bytes in
      let tables = unsafe LoadedBytes(bytes, countedFrom: 100)
      var reader = TableReader(tables, at: 100)
      #expect(throws: TableReader.Malformed.self) { try reader.unsigned() }
      #expect(tables.load(UInt32.self, at: 100) == nil && tables.load(UInt8.self, at: 99) == nil)
      #expect(
        tables.load(UInt16.self, at: 101) == 0x8080 && tables.load(UInt16.self, at: 102) == nil)
    }
  }
}
