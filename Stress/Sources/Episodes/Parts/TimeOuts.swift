import Oracle

/// Requests with a time-out. Each must be answered once: by its answer or by its time-out.
final class TimeOuts: Part {
  private let name: String
  private let isHasty: Bool
  /// How long each answer takes, in nanoseconds.
  private let answers: [Int64]
  /// How often each request was answered.
  private let settled: Locked<[Int]>
  /// One time-out for all requests of an episode. So the time-outs fall due in the order of the
  /// requests, whatever else takes time: in a fake nothing does.
  private static let patience = Duration.microseconds(300)

  init(_ name: String, isHasty: Bool, _ dice: inout Dice) {
    self.name = name
    self.isHasty = isHasty
    answers = (0..<1 + dice.roll(3)).map { _ in Int64(dice.roll(400_000)) }
    settled = Locked(answers.map { _ in 0 })
  }

  var purpose: String { "\(name): \(answers.count) requests\(isHasty ? ", hasty" : "")" }

  func begin(on stage: Stage) {
    for (index, answer) in answers.enumerated() {
      stage.post(.foreground, "\(name): request \(index + 1)") { [self] in
        let alarm = stage.after(Self.patience, "time-out") { [self] in settle(index) }
        stage.post(.background, "answer", after: answer) { [self] in
          stage.post(.foreground, "take") { [self] in
            settle(index, again: isHasty)
            stage.cancel(alarm)
          }
        }
      }
    }
  }

  private func settle(_ index: Int, again: Bool = false) {
    settled.withLock { settled in if again || settled[index] == 0 { settled[index] += 1 } }
  }

  var fault: String? {
    let settled = settled.withLock { $0 }
    guard let index = settled.firstIndex(where: { $0 != 1 }) else { return nil }
    return "\(name) has settled request \(index + 1) \(settled[index]) times"
  }
}
