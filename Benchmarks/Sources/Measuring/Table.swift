/// Lines in columns: the first column to the left, the others to the right, the last one unaligned.
public struct Table {
  private var lines: [[String]]

  public init(headings: [String]) { lines = [headings] }

  public mutating func add(_ cells: [String]) {
    precondition(
      cells.count == lines[0].count, "\(cells.count) cells in \(lines[0].count) columns")
    lines.append(cells)
  }

  public var text: [String] {
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max()! }
    return lines.map { cells in
      cells.enumerated().map { column, cell in
        let filler = String(repeating: " ", count: widths[column] - cell.count)
        if column == 0 { return cell + filler }
        return column == cells.count - 1 ? cell : filler + cell
      }.joined(separator: "  ")
    }
  }
}

extension Report {
  /// The rows, for people.
  public var table: [String] {
    var table = Table(headings: [
      "row", "ours", "range", "best peer", "ratio", "limit", "met", "goal", "demanded; peers",
    ])
    for row in rows {
      if let failure = row.failure {
        table.add([
          row.name, "-", "-", "-", "-", "-", word(row.met), word(row.goalMet), failure,
        ])
        continue
      }
      let peers = row.peers.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        .map { name, value in
          "\(name) \(figure(value, row.unit)) (\(ratio(row.ratios[name])))"
        }
      let notes = [row.demanded, peers.joined(separator: ", ")].filter { !$0.isEmpty }
      table.add([
        row.name, figure(row.ours, row.unit),
        "\(figure(row.range.lowerBound, row.unit))-\(figure(row.range.upperBound, row.unit))",
        row.best?.name ?? "", ratio(row.best?.ratio), ratio(row.ratioToLimit), word(row.met),
        word(row.goalMet), notes.joined(separator: "; "),
      ])
    }
    return table.text
  }

  private func ratio(_ value: Double?) -> String {
    guard let value else { return "" }
    guard value.isFinite else { return "x inf" }
    return value >= 10
      ? "x\(Int(value.rounded()))" : "x\(short(value))"
  }

  private func word(_ met: Bool?) -> String {
    switch met {
    case nil: ""
    case true?: "yes"
    case false?: "NO"
    }
  }
}

/// A figure with its unit, in three or four digits.
public func figure(_ value: Double, _ unit: Row.Unit) -> String {
  guard value.isFinite else { return "-" }
  switch unit {
  case .count: return short(value)
  case .bytes:
    return value < 10_000 ? "\(short(value.rounded())) B" : "\(short((value / 1024).rounded())) KiB"
  case .nanoseconds:
    switch value {
    case ..<100: return "\(short((value * 10).rounded() / 10)) ns"
    case ..<10_000: return "\(Int(value.rounded())) ns"
    case ..<1_000_000: return "\(short((value / 100).rounded() / 10)) us"
    default: return "\(short((value / 10_000).rounded() / 100)) ms"
    }
  }
}
