import Testing

@testable import UVDispatch

@Suite("What is allotted to one body after the other")
struct TimeBudgetTests {
  /// Runs bodies until the time budget is used up, and notes after which bodies the clock was read.
  ///
  /// - Parameters:
  ///   - allotted: The time budget, in nanoseconds.
  ///   - lengths: How long each body lasts. The last length is used again and again.
  private func looks(allotted: Int64, lengths: [Int64]) -> (bodies: Int, looks: [Int]) {
    var time: Int64 = 1_000
    var budget = TimeBudget(nanoseconds: allotted, from: time)
    var looks: [Int] = []
    for body in 1... {
      time += lengths[min(body, lengths.count) - 1]
      let isUsedUp = budget.isUsedUp {
        looks.append(body)
        return time
      }
      if isUsedUp { return (body, looks) }
    }
    fatalError("unreachable")
  }

  @Test("is measured after every body while they are long")
  func longBodies() {
    let (bodies, looks) = looks(allotted: 6_400, lengths: [100])
    #expect(bodies == 64)
    #expect(looks == Array(1...64))
  }

  @Test("is measured after the first, the third, the seventh, and then every eighth short one")
  func shortBodies() {
    let short = [Int64](repeating: 0, count: 20)
    let (bodies, looks) = looks(allotted: 640_000, lengths: short + [20_000])
    #expect(looks.prefix(5) == [1, 3, 7, 15, 23])
    // The sixth of those eight is the first long one. From then on the clock is read after every body.
    #expect(looks.dropFirst(5).prefix(3) == [24, 25, 26])
    #expect(bodies == 20 + 32)
  }

  @Test("counts all the bodies between two looks together")
  func together() {
    let (_, looks) = looks(allotted: 64_000, lengths: [999, 999, 999, 999])
    // The second look finds that two bodies took 1998 ns together, so the next look comes after one body. That
    // look finds 999 ns, so the next one comes after two.
    #expect(looks.prefix(5) == [1, 3, 4, 6, 7])
  }

  @Test("is used up at its end and not before")
  func end() {
    #expect(looks(allotted: 100, lengths: [100]).bodies == 1)
    #expect(looks(allotted: 101, lengths: [100]).bodies == 2)
  }

  @Test("may be more than there will ever be")
  func forEver() {
    var budget = TimeBudget(nanoseconds: .max, from: 1)
    #expect(!budget.isUsedUp { .max - 1 })
  }
}
