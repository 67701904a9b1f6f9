/// The labels in `labels` that are most like `label`, for a label that may be mistyped. The nearest first, at most
/// three.
func nearMisses(of label: String, in labels: [String]) -> [String] {
  let allowed = max(2, label.count / 3)
  return Set(labels)
    .map { (distance: editDistance(label.lowercased(), $0.lowercased()), label: $0) }
    .filter { $0.distance <= allowed || $0.label.contains(label) || label.contains($0.label) }
    .sorted { ($0.distance, $0.label) < ($1.distance, $1.label) }
    .prefix(3).map(\.label)
}

/// How many characters must be added, removed or replaced to turn one text into the other (Levenshtein).
private func editDistance(_ first: String, _ second: String) -> Int {
  let columns = Array(second)
  var row = Array(0...columns.count)
  for (index, character) in first.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for column in columns.indices {
      let replaced = diagonal + (columns[column] == character ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
    }
  }
  return row[columns.count]
}
