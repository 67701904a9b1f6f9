import Oracle

/// The background prepares lines at the same time, and a serial queue writes them. The page must have
/// them in the order of their numbers.
final class Journal: Part {
  private struct Page {
    var lines: [Int] = []
    /// Lines that are prepared although an earlier line is missing.
    var early: Set<Int> = []
  }

  private let name: String
  private let isHasty: Bool
  /// How long each line takes to prepare, in nanoseconds.
  private let lines: [Int64]
  private let page = Locked(Page())

  init(_ name: String, isHasty: Bool, _ dice: inout Dice) {
    self.name = name
    self.isHasty = isHasty
    lines = (0..<2 + dice.roll(5)).map { _ in Int64(dice.roll(60_000)) }
  }

  var purpose: String { "\(name): \(lines.count) lines\(isHasty ? ", hasty" : "")" }

  func begin(on stage: Stage) {
    for (index, preparing) in lines.enumerated() {
      stage.post(.foreground, "\(name): line \(index + 1)") { [self] in
        stage.post(.background, "prepare", after: preparing) { [self] in
          stage.post(.serial, "write") { [self] in write(index + 1) }
        }
      }
    }
  }

  private func write(_ line: Int) {
    page.withLock { page in
      if isHasty { return page.lines.append(line) }
      page.early.insert(line)
      while page.early.remove(page.lines.count + 1) != nil {
        page.lines.append(page.lines.count + 1)
      }
    }
  }

  var fault: String? {
    let written = page.withLock { $0.lines }
    return written == Array(1...lines.count)
      ? nil : "\(name) holds the lines \(written.map(String.init).joined(separator: " "))"
  }
}
