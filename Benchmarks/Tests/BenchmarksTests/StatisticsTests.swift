import Measuring
import Testing

@Suite("Statistics")
struct StatisticsTests {
  @Test("the median is the middle one, and the mean of the middle two of an even number")
  func median() {
    #expect(Statistics.median([3, 1, 2]) == 2)
    #expect(Statistics.median([4, 1, 3, 2]) == 2.5)
    #expect(Statistics.median([7]) == 7)
  }

  @Test("a percentile is the least value that so many of a hundred do not exceed")
  func percentile() {
    let hundred = (1...100).map(Double.init)

    #expect(Statistics.percentile(50, of: hundred) == 50)
    #expect(Statistics.percentile(99, of: hundred) == 99)
    #expect(Statistics.percentile(99.9, of: hundred) == 100)
    #expect(Statistics.percentile(99, of: [5]) == 5)
  }

  @Test("the spread is the width of the middle half, as a share of the median")
  func spread() {
    #expect(Statistics.spread([10, 10, 10, 10]) == 0)
    #expect(Statistics.spread([1, 8, 10, 12, 1_000]) == 0.4)
    #expect(Statistics.spread([0, 0, 0]) == 0)
  }
}
