/// Delta debugging (Zeller and Hildebrandt, 2002): leaves out of a list what is not needed for `holds` to be true.
struct Shrinking<Element> {
  private var left: Int
  private let budget: Int
  private let holds: ([Element]) -> Bool

  /// - Parameters:
  ///   - budget: The most calls of `holds`.
  ///   - holds: Whether the property in question holds for some of the elements, in their order.
  init(budget: Int, holds: @escaping ([Element]) -> Bool) {
    self.budget = budget
    left = budget
    self.holds = holds
  }

  /// How often it has called `holds`.
  var runs: Int { budget - left }

  mutating func asks(_ elements: [Element]) -> Bool {
    guard left > 0 else { return false }
    left -= 1
    return holds(elements)
  }

  /// Some of `elements` for which `holds` is true and none of which can be left out alone, if the budget is enough. Nil
  /// if `holds` is false for all of them.
  mutating func shrink(_ elements: [Element]) -> [Element]? {
    if asks([]) { return [] }
    guard asks(elements) else { return nil }
    var current = elements
    var parts = 2
    while current.count >= 2, left > 0 {
      let size = (current.count + parts - 1) / parts
      let starts = stride(from: 0, to: current.count, by: size)
      func rest(from start: Int) -> [Element] {
        Array(current[..<start]) + Array(current[min(start + size, current.count)...])
      }
      if let start = starts.first(where: {
        asks(Array(current[$0..<min($0 + size, current.count)]))
      }) {
        current = Array(current[start..<min(start + size, current.count)])
        parts = 2
      } else if parts > 2 || size == 1, let start = starts.first(where: { asks(rest(from: $0)) }) {
        current = rest(from: start)
        parts = max(parts - 1, 2)
      } else if size == 1 {
        break
      } else {
        parts = min(current.count, parts * 2)
      }
    }
    return current
  }
}
