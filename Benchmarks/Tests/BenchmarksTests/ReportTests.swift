import Foundation
import Measuring
import Testing

@Suite("A report")
struct ReportTests {
  private let machine = Machine(
    model: "AMD EPYC", cores: 2, kernel: "6.1", swift: "6.3.1", libuv: "1.44.2", poolThreads: [4],
    processes: 3, nice: 0)

  private var report: Report {
    func readings(_ row: String, ours: Double, peers: [String: Double]) -> [Reading] {
      [Reading(row: row, contestant: Contestant.ours, samples: [ours])]
        + peers.map { Reading(row: row, contestant: $0.key, samples: [$0.value]) }
    }
    return Report(
      machine: machine,
      rows: [
        RowResult(
          Row("fast", demanded: [.timesFaster(2, than: "NIO")]),
          processes: [readings("fast", ours: 100, peers: ["NIO": 300, "limit": 50])]),
        RowResult(
          Row("slow", demanded: [.atMost(1_000)], goal: [.atMost(10)]),
          processes: [readings("slow", ours: 5_000, peers: [:])]),
        RowResult(
          Row("held", unit: .bytes), processes: [readings("held", ours: 48, peers: ["C": 32])]),
        RowResult(Row("broken", demanded: [.atMost(1)]), failure: "ended with signal 4"),
      ])
  }

  private func rows() throws -> [[String: Any]] {
    let object = try JSONSerialization.jsonObject(with: report.json())
    let whole = try #require(object as? [String: Any])
    #expect(whole.keys.sorted() == ["machine", "rows"])
    return try #require(whole["rows"] as? [[String: Any]])
  }

  @Test("ends with how many rows meet what is demanded, of those with a demand")
  func summary() {
    #expect(report.summary == "bench: 1 of 3 rows meet what is demanded")
  }

  @Test("has a row's figures in JSON under the names that were agreed")
  func json() throws {
    let fast = try rows()[0]

    #expect(fast["name"] as? String == "fast")
    #expect(fast["ours_ns"] as? Double == 100)
    #expect(fast["peers"] as? [String: Double] == ["NIO": 300])
    #expect(fast["ratio_best_peer"] as? Double == 3)
    #expect(fast["ratio_limit"] as? Double == 0.5)
    #expect(fast["demanded"] as? String == "≥ 2x NIO")
    #expect(fast["met"] as? Bool == true)
    #expect(fast["goalMet"] is NSNull)
  }

  @Test("says null where there is nothing to say, and leaves no key out")
  func nulls() throws {
    let required: Set = [
      "name", "ours_ns", "peers", "ratio_best_peer", "ratio_limit", "demanded", "met",
    ]
    for row in try rows() { #expect(required.isSubset(of: row.keys)) }

    #expect(try rows()[1]["ratio_best_peer"] is NSNull)
    #expect(try rows()[1]["goalMet"] as? Bool == false)
    #expect(try rows()[2]["met"] is NSNull)
    #expect(try rows()[3]["ours_ns"] is NSNull)
    #expect(try rows()[3]["met"] as? Bool == false)
    #expect(try rows()[3]["failure"] as? String == "ended with signal 4")
  }

  @Test("calls no bytes nanoseconds")
  func units() throws {
    let held = try rows()[2]

    #expect(held["ours_ns"] is NSNull)
    #expect(held["ours"] as? Double == 48)
    #expect(held["unit"] as? String == "bytes")
  }

  @Test("has a table in columns, with a line for each row, also for one that failed")
  func table() {
    let lines = report.table

    #expect(lines.count == 5)
    #expect(lines[1].hasPrefix("fast "))
    #expect(lines[1].contains("  100 ns  "))
    #expect(lines[1].hasSuffix("≥ 2x NIO; NIO 300 ns (x3)"))
    #expect(lines[2].contains(" NO "))
    #expect(lines[4].hasSuffix("ended with signal 4"))
  }

  @Test("says where and with what it was measured")
  func machineLines() {
    #expect(
      report.machine.lines == [
        "machine: AMD EPYC, 2 cores, nice 0", "versions: Swift 6.3.1, libuv 1.44.2, Linux 6.1",
        "pool: UV_THREADPOOL_SIZE 4", "each figure: the median of 3 processes",
      ])
  }

  @Test("draws each row of times, whose bar is longer the longer it takes")
  func chart() throws {
    let svg = Chart(report).svg

    #expect(svg.hasPrefix("<svg "))
    #expect(svg.hasSuffix("</svg>\n"))
    #expect(svg.contains("viewBox=\"0 0 "))
    #expect(svg.contains(">fast<"))
    #expect(svg.contains(">NIO  "), "a bar says what it stands for")
    #expect(!svg.contains(">held<"))
    func width(_ bar: String) throws -> Double {
      let rect = try #require(
        svg.components(separatedBy: "<rect ").first { $0.contains("<title>\(bar)") })
      let text = try #require(rect.components(separatedBy: "width=\"").dropFirst().first)
      return try #require(Double(text.prefix { $0 != "\"" }))
    }
    #expect(try width("slow, UVDispatch") > width("fast, NIO"))
    #expect(try width("fast, NIO") > width("fast, UVDispatch"))
  }
}
