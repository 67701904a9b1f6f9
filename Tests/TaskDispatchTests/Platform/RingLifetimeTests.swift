import TestSupport
import Testing

@testable import TaskDispatch

@Suite("The elements of a ring")
struct RingLifetimeTests {
  @Test("are let go of when they are taken or removed, and never twice")
  func areReleasedWhenTakenOut() {
    let census = Census()
    var ring = Ring<Token>()
    for number in 0..<20 { ring.append(Token(number, in: census)) }

    #expect(census.living == 20)
    #expect(ring.takeFirst()?.number == 0)
    #expect(census.living == 19)
    #expect(ring.remove(at: 7)?.number == 7)
    #expect(census.living == 18)
    #expect(ring.remove(at: 7) == nil)
    #expect(ring.remove(at: 0) == nil)
    #expect(ring.remove(at: 20) == nil)
    ring.compact { _, _ in }
    #expect(census.living == 18)
  }

  @Test("are gone where a tombstone was left, whatever the ring does then")
  func areDeadWhereVacated() {
    let census = Census()
    var ring = Ring<Token>()
    for number in 0..<8 { ring.append(Token(number, in: census)) }
    for position in [1, 2, 7] { #expect(ring.vacateToken(at: position) == true) }

    #expect(census.living == 5)
    for position in [1, 2, 7] {
      #expect(ring.leaveTombstone(at: position) == false)
      #expect(ring.remove(at: position) == nil)
      #expect(ring.isAlive(at: position) == false)
    }
    for position in [-1, 8] { #expect(ring.leaveTombstone(at: position) == false) }

    var copy = ring.clone()
    for number in 8..<40 { ring.append(Token(number, in: census)) }
    #expect(ring.capacity == 64)
    #expect(ring.living == [0, 3, 4, 5, 6] + Array(8..<40))
    for position in [0, 3, 4] { #expect(ring.vacateToken(at: position) == true) }
    ring.dropDeadHead()
    #expect(ring.head == 5)
    // These elements use the same slots again, a round later.
    for number in 40..<69 { ring.append(Token(number, in: census)) }
    #expect(ring.capacity == 64)
    #expect(ring.living == [5, 6] + Array(8..<69))

    copy.dropDeadHead()
    #expect(copy.takeFirst()?.number == 0)
    copy.dropDeadHead()
    #expect(copy.head == 3)
    #expect(copy.living == [3, 4, 5, 6])
  }

  @Test(
    "are let go of with the ring, wherever it wraps, tombstones or not", arguments: [false, true])
  func areReleasedWithTheRing(vacates: Bool) {
    for offset in 0..<16 {
      for count in [0, 1, 7, 8, 9, 20] {
        for removed in 0..<8 {
          let census = Census()
          do {
            var ring = Ring<Token>()
            for number in 0..<offset {
              ring.append(Token(number, in: census))
              _ = ring.takeFirst()
            }
            for number in 0..<count { ring.append(Token(number, in: census)) }
            for bit in 0..<3 where removed & 1 << bit != 0 {
              let position = offset + bit * 3
              if vacates, ring.isAlive(at: position) {
                _ = ring.vacateToken(at: position)
              } else {
                _ = ring.remove(at: position)
              }
            }
            let dead = (0..<3).count { removed & 1 << $0 != 0 && $0 * 3 < count }
            #expect(census.living == count - dead)
          }
          #expect(census.living == 0, "offset \(offset), count \(count), removed \(removed)")
        }
      }
    }
  }
}
