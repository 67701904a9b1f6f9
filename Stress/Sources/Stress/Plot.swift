import Foundation

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
    let total = Self.gap + Double(panels.count) * (Self.height + Self.gap)
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width + Self.left + 24))" \
      height="\(Int(total))" font-family="sans-serif" font-size="12">
      <rect width="100%" height="100%" fill="white"/>
      <text x="\(Int(Self.left))" y="22" font-size="15">\(escaped(title))</text>

      """
    for (index, panel) in panels.enumerated() {
      let top = Self.gap + Double(index) * (Self.height + Self.gap)
      text += draw(panel, top: top, isLast: index == panels.count - 1)
    }
    return text + "</svg>\n"
  }

  private func draw(_ panel: Panel, top: Double, isLast: Bool) -> String {
    let end = max(1, samples.last?.seconds ?? 1)
    let most = max(panel.lines.flatMap(\.values).max() ?? 1, 1e-9)
    let bottom = top + Self.height
    var text =
      "<text x=\"\(coordinate(Self.left))\" y=\"\(coordinate(top - 6))\">\(panel.name)</text>\n"
    var legend = Self.left + 170
    let isAlone = panel.lines.count == 1
    for line in panel.lines where !isAlone {
      text +=
        "<text x=\"\(coordinate(legend))\" y=\"\(coordinate(top - 6))\" fill=\"\(line.colour)\">"
        + "\(line.name)</text>\n"
      legend += Double(line.name.count) * 8 + 20
    }
    for share in [0.0, 0.5, 1.0] {
      let height = bottom - share * Self.height
      text +=
        "<line x1=\"\(coordinate(Self.left))\" x2=\"\(coordinate(Self.left + Self.width))\" "
        + "y1=\"\(coordinate(height))\" y2=\"\(coordinate(height))\" stroke=\"#dddddd\"/>\n"
        + "<text x=\"\(coordinate(Self.left - 8))\" y=\"\(coordinate(height + 4))\" "
        + "text-anchor=\"end\">\(panel.format(share * most))</text>\n"
    }
    for share in stride(from: 0.0, through: 1.0, by: 0.25) {
      text +=
        "<text x=\"\(coordinate(Self.left + share * Self.width))\" y=\"\(coordinate(bottom + 16))\" "
        + "text-anchor=\"middle\" fill=\"#777777\">\(tick(share * end))</text>\n"
    }
    for line in panel.lines {
      let points = zip(samples, line.values).map { sample, value in
        "\(coordinate(Self.left + sample.seconds / end * Self.width)),"
          + "\(coordinate(bottom - value / most * Self.height))"
      }
      text +=
        "<polyline fill=\"none\" stroke=\"\(line.colour)\" stroke-width=\"1.3\" points=\""
        + points.joined(separator: " ") + "\"/>\n"
    }
    return text
  }

  /// A quarter of a short run is no whole number of seconds.
  private func tick(_ seconds: Double) -> String {
    String(format: seconds == seconds.rounded() || seconds >= 20 ? "%.0f s" : "%.1f s", seconds)
  }

  private func coordinate(_ value: Double) -> String { String(format: "%.1f", value) }

  private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}
