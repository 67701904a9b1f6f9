import Oracle

/// A shop with more buyers than goods. Each buyer asks whether something is left, and pays; then the
/// sale is booked. The next buyer enters before the sale is booked.
final class Stock: Part {
  private struct Shelf {
    var left: Int
    var sold = 0
  }

  private let name: String
  private let isHasty: Bool
  private let count: Int
  /// How long the buyer takes to pay, and how long the next buyer takes to enter, in nanoseconds.
  private let buyers: [(paying: Int64, next: Int64)]
  private let shelf: Locked<Shelf>

  init(_ name: String, isHasty: Bool, _ dice: inout Dice) {
    self.name = name
    self.isHasty = isHasty
    count = 1 + dice.roll(3)
    buyers = (0..<count + 1 + dice.roll(3)).map { _ in
      (Int64(dice.roll(30_000)), Int64(dice.roll(60_000)))
    }
    shelf = Locked(Shelf(left: count))
  }

  var purpose: String {
    "\(name): \(count) for \(buyers.count) buyers\(isHasty ? ", hasty" : "")"
  }

  func begin(on stage: Stage) { enter(0, stage) }

  private func enter(_ index: Int, _ stage: Stage) {
    guard index < buyers.count else { return }
    stage.post(.foreground, "\(name): buyer \(index + 1)") { [self] in
      let buyer = buyers[index]
      if shelf.withLock({ $0.left > 0 }) {
        stage.post(.background, "pay", after: buyer.paying) { [self] in
          stage.post(.foreground, "book") { [self] in book() }
        }
      }
      stage.post(.background, "next", after: buyer.next) { [self] in enter(index + 1, stage) }
    }
  }

  private func book() {
    shelf.withLock { shelf in
      guard isHasty || shelf.left > 0 else { return }
      shelf.left -= 1
      shelf.sold += 1
    }
  }

  var fault: String? {
    let sold = shelf.withLock { $0.sold }
    return sold == count ? nil : "\(name) has sold \(sold) of \(count)"
  }
}
