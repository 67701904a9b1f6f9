import Oracle

/// A user types queries, and their answers are fetched and shown. In the end the screen must show the
/// answer to the last query.
final class Search: Part {
  private struct Screen {
    var typed = 0
    var shown = 0
  }

  private let name: String
  private let isHasty: Bool
  /// How long each answer takes, in nanoseconds.
  private let answers: [Int64]
  private let screen = Locked(Screen())

  init(_ name: String, isHasty: Bool, _ dice: inout Dice) {
    self.name = name
    self.isHasty = isHasty
    answers = (0..<2 + dice.roll(4)).map { _ in Int64(dice.roll(60_000)) }
  }

  var purpose: String { "\(name): \(answers.count) queries\(isHasty ? ", hasty" : "")" }

  func begin(on stage: Stage) {
    for (index, answer) in answers.enumerated() {
      let query = index + 1
      stage.post(.foreground, "\(name): type \(query)") { [self] in
        screen.withLock { $0.typed = query }
        stage.post(.background, "fetch", after: answer) { [self] in
          stage.post(.foreground, "show") { [self] in show(query) }
        }
      }
    }
  }

  private func show(_ query: Int) {
    screen.withLock { screen in if isHasty || screen.typed == query { screen.shown = query } }
  }

  var fault: String? {
    let shown = screen.withLock { $0.shown }
    return shown == answers.count
      ? nil : "\(name) shows the answer to query \(shown), and \(answers.count) was the last"
  }
}
