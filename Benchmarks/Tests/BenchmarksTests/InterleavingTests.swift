import Measuring
import Testing

@Suite("Interleaving")
struct InterleavingTests {
  @Test("lets every contestant begin once in a while, after a warm-up that does not count")
  func takesTurns() {
    var order = ""
    let contestants = ["a", "b", "c"].map { name in
      Contestant(name) { () -> Double in
        order += name
        return 1
      }
    }

    let readings = Interleaving(repetitions: 3).readings(rows: ["row"], of: contestants)

    #expect(order == "abc" + "abc" + "bca" + "cab")
    #expect(readings.map(\.samples.count) == [3, 3, 3])
  }

  @Test("gives each row the figure that stands in its place")
  func sortsFigures() {
    let contestant = Contestant("a") { () -> [Double] in [1, 2] }

    let readings = Interleaving(repetitions: 2).readings(rows: ["x", "y"], of: [contestant])

    #expect(
      readings == [
        Reading(row: "x", contestant: "a", samples: [1, 1]),
        Reading(row: "y", contestant: "a", samples: [2, 2]),
      ])
  }

  @Test("measures once more if figures are far apart, and keeps the calmer set")
  func retries() {
    var figures = [0, 10, 100, 1_000, 10_000, 7, 7, 7, 7.0][...]
    let contestant = Contestant("a") { figures.removeFirst() }

    let readings = Interleaving(repetitions: 4).readings(rows: ["row"], of: [contestant])

    #expect(readings[0].samples == [7, 7, 7, 7])
  }

  @Test("keeps the first set if the second is worse, and tries no third")
  func keepsTheCalmer() {
    var figures = [0, 10, 20, 20, 40, 1, 10, 100, 1_000.0][...]
    let contestant = Contestant("a") { figures.removeFirst() }

    let readings = Interleaving(repetitions: 4).readings(rows: ["row"], of: [contestant])

    #expect(readings[0].samples == [10, 20, 20, 40])
    #expect(figures.isEmpty)
  }

  @Test("measures calm figures once")
  func isContent() {
    var calls = 0
    let contestant = Contestant("a") { () -> Double in
      calls += 1
      return 5
    }

    _ = Interleaving(repetitions: 5, warmUps: 2).readings(rows: ["row"], of: [contestant])

    #expect(calls == 7)
  }

  @Test("leaves out what is no number: the contestant takes no part in that row")
  func leavesOut() {
    let contestant = Contestant("a") { () -> [Double] in [1, .nan] }

    let readings = Interleaving(repetitions: 2).readings(rows: ["x", "y"], of: [contestant])

    #expect(readings.map(\.samples) == [[1, 1], []])
  }
}
