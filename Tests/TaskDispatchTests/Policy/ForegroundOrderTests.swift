import Testing

@testable import TaskDispatch

@Suite("The order of the foreground")
struct ForegroundOrderTests {
  /// Pushes the tasks of `arrivals`: lower case is due, upper case was posted.
  private func order(_ arrivals: String) -> ForegroundOrder<Character> {
    var order = ForegroundOrder<Character>(agingStep: 1_000)
    for task in arrivals {
      if task.isLowercase {
        _ = order.due.push(task, in: .medium)
      } else {
        _ = order.posted.push(task, in: .medium)
      }
    }
    return order
  }

  private func takeAll(_ order: consuming ForegroundOrder<Character>) -> String {
    var taken = ""
    while let task = order.take(now: { 0 }) { taken.append(task) }
    return taken
  }

  @Test(
    "lets due and posted tasks alternate, the due ones first",
    arguments: [
      ("", ""), ("A", "A"), ("a", "a"), ("ABC", "ABC"), ("abc", "abc"), ("ABab", "aAbB"),
      ("abAB", "aAbB"), ("abcA", "aAbc"), ("ABCa", "aABC"), ("AaBbC", "aAbBC"),
    ])
  func turns(arrivals: String, taken: String) {
    #expect(takeAll(order(arrivals)) == taken)
  }

  @Test("lets a posted task be the next one after a due one, however many due ones came before")
  func afterDue() {
    var order = order("abc")
    var taken = ""
    for _ in 0..<2 { taken.append(order.take(now: { 0 })!) }
    _ = order.posted.push("A", in: .medium)
    #expect(taken + takeAll(order) == "abAc")
  }

  @Test("begins with a due task when it was empty")
  func afterNothing() {
    var order = order("a")
    let first = order.take(now: { 0 })
    let none = order.take(now: { 0 })
    #expect(first == "a" && none == nil)
    for task in "bA" {
      if task == "b" {
        _ = order.due.push(task, in: .medium)
      } else {
        _ = order.posted.push(task, in: .medium)
      }
    }
    #expect(takeAll(order) == "bA")
  }

  @Test("shows what it would take")
  func next() {
    var order = order("ABabc")
    while let next = order.withNext(now: { 0 }, { copy $0 }) {
      let isPosted = order.postedIsNext
      #expect(isPosted == next.isUppercase)
      let taken = order.take(now: { 0 })
      #expect(taken == next)
    }
    let isEmpty = order.isEmpty
    #expect(isEmpty)
  }

  @Test("counts a task that was taken out of order: the other kind is next")
  func outOfTurn() {
    var posted = order("ABab")
    let first = posted.takePosted(now: { 0 })
    #expect(first == "A")
    #expect(takeAll(posted) == "aBb")

    var again = order("ABab")
    let turn = again.take(now: { 0 })
    let outOfTurn = again.takePosted(now: { 0 })
    #expect(turn == "a" && outOfTurn == "A")
    #expect(takeAll(again) == "bB")

    var due = order("ABab")
    let second = due.takeDue(at: 1)
    #expect(second == "b")
    #expect(takeAll(due) == "AaB")
  }

  @Test("does not change which kind is next if there is nothing to take")
  func nothing() {
    var order = order("a")
    let none = order.takePosted(now: { 0 })
    let missing = order.takeDue(at: 7)
    #expect(none == nil && missing == nil)
    _ = order.posted.push("A", in: .medium)
    #expect(takeAll(order) == "aA")
  }
}
