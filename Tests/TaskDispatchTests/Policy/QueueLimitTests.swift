import Testing

@testable import TaskDispatch

@Suite("The limit of a queue, as credits")
struct QueueLimitTests {
  @Test("has room for as many as it says, and for one more with each that leaves", arguments: 1...4)
  func room(most: Int) throws {
    var limit = try #require(QueueLimit(.reject(limit: most)))
    for departed in 0..<3 {
      #expect(limit.room(departed: departed) == (departed == 0 ? most : 1))
      limit.issue(limit.room(departed: departed))
      #expect(limit.room(departed: departed) == 0)
    }
  }

  @Test("credits that are taken back are room again")
  func takenBack() throws {
    var limit = try #require(QueueLimit(.blockCaller(limit: 5, timeout: nil)))
    limit.issue(5)
    limit.issue(-2)

    #expect(limit.room(departed: 0) == 2)
    #expect(limit.overflow == .blockCaller(limit: 5, timeout: nil))
  }

  @Test("the greatest limit does not overflow")
  func greatest() throws {
    var limit = try #require(QueueLimit(.reject(limit: .max)))
    let room = limit.room(departed: 1_000_000)
    limit.issue(room)

    #expect(room > .max / 2)
    #expect(limit.room(departed: 1_000_001) == 1)
  }

  @Test("is none without a limit")
  func none() { #expect(QueueLimit(.unbounded) == nil) }
}
