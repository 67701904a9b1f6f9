import Foundation
internal import Pictures

/// The rows as a picture: for each row a bar for each contestant, on a logarithmic scale, and the
/// latencies below.
public struct Chart {
  public let report: Report

  public init(_ report: Report) { self.report = report }

  private static let left = 330.0
  private static let width = 620.0
  private static let bar = 9.0
  private static let gap = 12.0
  private static let top = 74.0

  private struct Bar {
    let name: String
    let value: Double
    let colour: String
  }

  public var svg: String {
    var (body, end) = rows()
    if let latencies = LatencyChart(rows: report.rows.filter { isLatency($0) }).body(top: end) {
      body += latencies.svg
      end += latencies.height
    }
    let heading =
      SVG.text("nanoseconds, logarithmic; shorter is faster", x: Self.left, y: 22, size: 15)
      + SVG.text(report.machine.lines.prefix(2).joined(separator: "; "), x: Self.left, y: 38)
    return SVG.picture(
      width: Self.left + Self.width + 150, height: end + 20, body: heading + body)
  }

  private func isLatency(_ row: RowResult) -> Bool { row.name.hasPrefix("latency") }

  /// The bars, and the position where they end.
  private func rows() -> (svg: String, end: Double) {
    let rows = report.rows.filter {
      $0.unit == .nanoseconds && $0.failure == nil && $0.ours > 0 && !isLatency($0)
    }
    guard !rows.isEmpty else { return ("", Self.top) }
    let all = rows.flatMap { bars(of: $0).map(\.value) }
    let least = log10(all.min()!).rounded(.down)
    let most = max(least + 1, log10(all.max()!).rounded(.up))
    func x(_ value: Double) -> Double {
      Self.left + (log10(value) - least) / (most - least) * Self.width
    }
    var top = Self.top
    var body = ""
    for row in rows {
      let bars = bars(of: row)
      body += SVG.text(
        row.name, x: Self.left - 8, y: top + Double(bars.count) * Self.bar / 2 + 4, anchor: "end")
      for bar in bars {
        let value = figure(bar.value, .nanoseconds)
        body += SVG.bar(
          x: Self.left, y: top, width: max(1, x(bar.value) - Self.left), height: Self.bar - 1,
          colour: bar.colour, title: "\(row.name), \(bar.name): \(value)")
        body += SVG.text(
          "\(bar.name)  \(value)", x: x(bar.value) + 4, y: top + Self.bar - 2, size: 8)
        top += Self.bar
      }
      top += Self.gap
    }
    var grid = ""
    for power in Int(least)...Int(most) {
      let at = x(pow(10, Double(power)))
      grid += SVG.line(at, 66, at, top)
      for y in [60, top + 14] {
        grid += SVG.text(
          figure(pow(10, Double(power)), .nanoseconds), x: at, y: y, anchor: "middle")
      }
    }
    return (grid + body, top + 20)
  }

  private func bars(of row: RowResult) -> [Bar] {
    [Bar(name: Contestant.ours, value: row.ours, colour: Contestant.colour(of: Contestant.ours))]
      + row.peers.sorted { $0.key < $1.key }.filter { $0.value > 0 }.map {
        Bar(name: $0.key, value: $0.value, colour: Contestant.colour(of: $0.key))
      }
  }
}
