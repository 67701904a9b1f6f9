import TestSupport

/// Counts the tokens that are alive.
final class Census {
  fileprivate(set) var living = 0
}

/// An element that a census counts while it is alive.
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
