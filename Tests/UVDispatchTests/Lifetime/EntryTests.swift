import Testing

@testable import UVDispatch

@Suite("What waits in a queue")
struct EntryTests {
  @Test("takes 32 bytes, whatever it is, also where a tombstone may be")
  func size() {
    #expect(MemoryLayout<Entry>.stride == 32)
    #expect(MemoryLayout<Entry?>.stride == 32)
  }
}
