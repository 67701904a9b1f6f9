import Foundation
internal import Pictures

/// How long tasks wait, as a picture: a panel for each kind, a line for each contestant, from p50 to
/// p99.9, on a logarithmic scale.
struct LatencyChart {
  /// Rows whose names end in `, p50` and so on.
  let rows: [RowResult]

  private static let left = 90.0
  private static let width = 420.0
  private static let height = 230.0
  /// The kinds in the order of the rows, each with its percentiles.
  private var panels: [(name: String, rows: [(percentile: String, row: RowResult)])] {
    var panels: [(name: String, rows: [(percentile: String, row: RowResult)])] = []
    for row in rows where row.unit == .nanoseconds && row.failure == nil {
      guard let comma = row.name.range(of: ", p", options: .backwards) else { continue }
      let name = String(row.name[..<comma.lowerBound])
      let percentile = "p" + row.name[comma.upperBound...]
      if panels.last?.name != name { panels.append((name, [])) }
      panels[panels.count - 1].rows.append((percentile, row))
    }
    return panels.filter { $0.rows.count > 1 }
  }

  /// Nil if there is nothing to draw.
  func body(top: Double) -> (svg: String, height: Double)? {
    let panels = panels
    guard !panels.isEmpty else { return nil }
    var svg = ""
    for (index, panel) in panels.enumerated() {
      let x = Self.left + Double(index % 2) * (Self.width + 130)
      let y = top + 40 + Double(index / 2) * (Self.height + 60)
      svg += draw(panel.name, panel.rows, x: x, y: y)
    }
    return (svg, Double((panels.count + 1) / 2) * (Self.height + 60) + 60)
  }

  private func draw(
    _ name: String, _ rows: [(percentile: String, row: RowResult)], x: Double, y: Double
  ) -> String {
    let contestants = [Contestant.ours] + rows[0].row.peers.keys.sorted()
    func value(_ contestant: String, _ row: RowResult) -> Double? {
      contestant == Contestant.ours ? row.ours : row.peers[contestant]
    }
    let all = contestants.flatMap { one in rows.compactMap { value(one, $0.row) } }.filter {
      $0 > 0
    }
    let least = log10(all.min() ?? 1).rounded(.down)
    let most = max(least + 1, log10(all.max() ?? 10).rounded(.up))
    func place(_ number: Int, _ value: Double) -> (x: Double, y: Double) {
      (
        x + (Double(number) + 0.5) / Double(rows.count) * Self.width,
        y + Self.height - (log10(value) - least) / (most - least) * Self.height
      )
    }
    var svg = SVG.text(name, x: x, y: y - 8, size: 13)
    for power in Int(least)...Int(most) {
      let at = place(0, pow(10, Double(power))).y
      svg += SVG.line(x, at, x + Self.width, at)
      svg += SVG.text(
        figure(pow(10, Double(power)), .nanoseconds), x: x - 6, y: at + 4, anchor: "end")
    }
    for (number, row) in rows.enumerated() {
      svg += SVG.text(
        row.percentile, x: place(number, pow(10, least)).x, y: y + Self.height + 16,
        anchor: "middle")
    }
    for (index, contestant) in contestants.enumerated() {
      let points = rows.enumerated().compactMap { number, row in
        value(contestant, row.row).flatMap { $0 > 0 ? place(number, $0) : nil }
      }
      let colour = Contestant.colour(of: contestant)
      svg += SVG.polyline(points, colour: colour, width: contestant == Contestant.ours ? 3 : 1.3)
      svg += SVG.text(
        contestant, x: x + 6, y: y + 14 + Double(index) * 13, colour: colour)
    }
    return svg
  }
}
