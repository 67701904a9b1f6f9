/// Counts the tokens that live.
final class Census {
  fileprivate(set) var living = 0
}

/// An element whose end is noticed.
final class Token {
  let number: Int
  private let census: Census

  init(_ number: Int, in census: Census) {
    self.number = number
    self.census = census
    census.living += 1
  }

  deinit {
    census.living -= 1
  }
}
