import Foundation
internal import Pictures

/// A picture of a run: the samples of each second, one panel below the other.
struct Plot {
  let samples: [Monitor.Sample]
  let title: String

  private struct Panel {
    let name: String
    let lines: [(name: String, colour: String, values: [Double])]
    let format: (Double) -> String
  }

  private static let width = 860.0
  private static let left = 96.0
  private static let height = 110.0
  private static let gap = 46.0

  func write(to path: String) throws {
    try Data(svg.utf8).write(to: URL(fileURLWithPath: path))
  }

  private var panels: [Panel] {
    func whole(_ value: Double) -> String { grouped(Int(value.rounded())) }
    return [
      Panel(
        name: "tasks a second",
        lines: [("tasks a second", "#1f77b4", samples.map(\.tasksPerSecond))], format: whole),
      Panel(
        name: "latency, us",
        lines: [
          ("p50", "#2ca02c", samples.map(\.latency50)),
          ("p99", "#d62728", samples.map(\.latency99)),
        ], format: whole),
      Panel(
        name: "queued", lines: [("queued", "#9467bd", samples.map { Double($0.queued) })],
        format: whole),
      Panel(
        name: "memory, MiB",
        lines: [
          ("resident", "#8c564b", samples.map { Double($0.process.residentBytes) / 1_048_576 })
        ], format: { String(format: "%.1f", $0) }),
      Panel(
        name: "descriptors, threads",
        lines: [
          ("descriptors", "#17becf", samples.map { Double($0.process.descriptors) }),
          ("threads", "#e377c2", samples.map { Double($0.process.threads) }),
        ], format: whole),
    ]
  }

  var svg: String {
    let height = Self.gap + Double(panels.count) * (Self.height + Self.gap)
    var body = SVG.text(title, x: Self.left, y: 22, size: 15)
    for (index, panel) in panels.enumerated() {
      body += draw(panel, top: Self.gap + Double(index) * (Self.height + Self.gap))
    }
    return SVG.picture(width: Self.width + Self.left + 24, height: height, body: body)
  }

  private func draw(_ panel: Panel, top: Double) -> String {
    let end = max(1, samples.last?.seconds ?? 1)
    let most = max(panel.lines.flatMap(\.values).max() ?? 1, 1e-9)
    let bottom = top + Self.height
    var text = SVG.text(panel.name, x: Self.left, y: top - 6, size: 12)
    var legend = Self.left + 170
    let isAlone = panel.lines.count == 1
    for line in panel.lines where !isAlone {
      text += SVG.text(line.name, x: legend, y: top - 6, size: 12, colour: line.colour)
      legend += Double(line.name.count) * 8 + 20
    }
    for share in [0.0, 0.5, 1.0] {
      let height = bottom - share * Self.height
      text += SVG.line(Self.left, height, Self.left + Self.width, height)
      text += SVG.text(
        panel.format(share * most), x: Self.left - 8, y: height + 4, size: 12, anchor: "end")
    }
    for share in stride(from: 0.0, through: 1.0, by: 0.25) {
      text += SVG.text(
        tick(share * end), x: Self.left + share * Self.width, y: bottom + 16, size: 12,
        anchor: "middle", colour: "#777777")
    }
    for line in panel.lines {
      let points = zip(samples, line.values).map { sample, value in
        (
          x: Self.left + sample.seconds / end * Self.width,
          y: bottom - value / most * Self.height
        )
      }
      text += SVG.polyline(points, colour: line.colour, width: 1.3)
    }
    return text
  }

  /// A quarter of a short run is no whole number of seconds.
  private func tick(_ seconds: Double) -> String {
    String(format: seconds == seconds.rounded() || seconds >= 20 ? "%.0f s" : "%.1f s", seconds)
  }
}
