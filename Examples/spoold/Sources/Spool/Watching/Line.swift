/// Elements that wait in the order in which they were added.
struct Line<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  /// Elements before this index are gone. Moving the others up each time would cost too much.
  private var head = 0

  var count: Int { elements.count - head }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let first = elements[head]
    head += 1
    if head == elements.count || head > 1_000 && head > elements.count / 2 {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Puts elements before all others.
  mutating func putBack(_ first: [Element]) {
    elements.replaceSubrange(..<head, with: first)
    head = 0
  }

  mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    elements.removeFirst(head)
    head = 0
    elements.removeAll(where: isUnwanted)
  }
}
