import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A deadline queue")
struct DeadlineQueueTests {
  @Test("does what a sorted list does, in every short program")
  func matchesSortedListInEveryShortProgram() throws {
    let programs = try forEveryProgram { choices in
      var trial = DeadlineTrial()
      for _ in 0..<5 {
        trial.perform(choices.choose(from: trial.possibleSteps))
        if choices.isNew { try trial.check() }
      }
      try trial.drain()
    }
    #expect(programs > 5_000)
  }

  @Test("gives back any arrivals by due time, then by arrival, whichever of them is removed")
  func ordersEveryArrival() throws {
    let programs = try forEveryProgram { choices in
      var trial = DeadlineTrial()
      for _ in 0..<7 { trial.perform(.insert(due: Int64(choices.choose(3)), tolerance: 0)) }
      trial.perform(.remove(choices.choose(7)))
      try trial.check()
      try trial.drain()
    }
    #expect(programs == 3 * 3 * 3 * 3 * 3 * 3 * 3 * 7)
  }

  @Test("does what a sorted list does, in long programs", arguments: 1...8 as ClosedRange<UInt64>)
  func matchesSortedListForLong(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var trial = DeadlineTrial(setting: "seed \(seed)")
    let dues = [3, 50, 1_000_000][dice.roll(3)]
    let tolerances = [1, 10, 100_000][dice.roll(3)]
    for round in 0..<1_500 {
      switch dice.roll(10) {
      case 0..<(round / 300 % 2 == 0 ? 6 : 3):
        let due = Int64(dice.roll(dues)) - Int64(dues) / 4
        trial.perform(.insert(due: due, tolerance: Int64(dice.roll(tolerances))))
      case 6..<8 where trial.hasWaiting: trial.perform(.remove(trial.anyWaiting(&dice)))
      case 8 where trial.hasGone: trial.perform(.removeAgain(trial.anyGone(&dice)))
      default: trial.perform(.pop(by: Int64(dice.roll(dues)) - Int64(dues) / 4))
      }
      try trial.check()
    }
    try trial.drain()
  }

  @Test("takes nothing before it is due, and all that is due")
  func takesNothingEarly() {
    var queue = DeadlineQueue<String>()
    queue.insert("later", due: 11)
    queue.insert("now", due: 10)

    #expect(queue.popNext(dueBy: 9)?.element == nil)
    #expect(queue.nextDeadline == 10)
    let now = queue.popNext(dueBy: 10)
    #expect(now?.element == "now" && now?.due == 10)
    #expect(queue.popNext(dueBy: 10)?.element == nil)
    let later = queue.popNext(dueBy: 1_000)
    #expect(later?.element == "later" && later?.due == 11)
    #expect(queue.nextDeadline == nil)
    #expect(queue.nextWakeUp == nil)
  }

  @Test("takes everything out in the order in which it would have come due")
  func removesAll() {
    var queue = DeadlineQueue<Int>()
    for number in 0..<100 { queue.insert(number, due: Int64(number * 37 % 10)) }

    let all = queue.removeAll()

    #expect(all == (0..<100).sorted { ($0 * 37 % 10, $0) < ($1 * 37 % 10, $1) })
    #expect(queue.count == 0)
    #expect(queue.removeAll() == [])
  }

  @Test("takes out what will never be due too")
  func removesWhatIsNeverDue() {
    var queue = DeadlineQueue<Int>()
    queue.insert(1, due: .max)
    queue.insert(0, due: .min)

    #expect(queue.removeAll() == [0, 1])
  }

  @Test("lets go of an element at once when it is removed or taken, and of the rest with itself")
  func letsGo() {
    let census = Census()
    do {
      var queue = DeadlineQueue<Token>()
      let tickets = (0..<10).map { queue.insert(Token($0, in: census), due: Int64($0)) }
      #expect(census.living == 10)

      #expect(queue.remove(tickets[4])?.number == 4)
      #expect(census.living == 9)
      #expect(queue.popNext(dueBy: 0)?.element.number == 0)
      #expect(census.living == 8)
    }
    #expect(census.living == 0)
  }
}

@Suite("The next wake-up of a deadline queue")
struct WakeUpOfDeadlineQueueTests {
  @Test("is the earliest of all due times with their tolerance, in every small queue")
  func isTheEarliestLatest() throws {
    try forEveryProgram { choices in
      var trial = DeadlineTrial()
      for _ in 0..<5 {
        let due = Int64(choices.choose(3))
        trial.perform(.insert(due: due, tolerance: Int64(choices.choose(2)) * 2))
        if choices.isNew { try trial.check() }
      }
    }
  }

  @Test("saturates for ever where due and tolerance overflow")
  func saturates() {
    var queue = DeadlineQueue<Int>()
    queue.insert(0, due: .max, tolerance: .max)
    #expect(queue.nextWakeUp == .max)
    queue.insert(1, due: .max - 1, tolerance: 1)
    #expect(queue.nextWakeUp == .max)
    queue.insert(2, due: .max - 2, tolerance: 3)
    #expect(queue.nextWakeUp == .max)
    queue.insert(3, due: .max - 3, tolerance: 2)
    #expect(queue.nextWakeUp == Int64.max - 1)
    queue.insert(4, due: .min, tolerance: .max)
    #expect(queue.nextWakeUp == -1)
    queue.insert(5, due: -5, tolerance: 0)
    #expect(queue.nextWakeUp == -5)

    #expect(queue.removeAll() == [4, 5, 3, 2, 1, 0])
  }

  @Test("serves every element: a thread that looks only then exceeds no tolerance")
  func servesEveryElement() {
    for seed in 0..<20 as Range<UInt64> {
      var dice = Dice(seed: seed)
      var queue = DeadlineQueue<Int64>()
      for _ in 0..<200 {
        let due = Int64(dice.roll(1_000))
        let tolerance = Int64(dice.roll(50))
        queue.insert(due + tolerance, due: due, tolerance: tolerance)
      }
      var looks = 0
      while let time = queue.nextWakeUp, looks < 200 {
        looks += 1
        while let (latest, due) = queue.popNext(dueBy: time) {
          #expect(due <= time && time <= latest, "seed \(seed)")
        }
      }
      #expect(queue.count == 0, "seed \(seed)")
      #expect(looks < 100, "tolerance saves wake-ups")
    }
  }
}

@Suite("A ticket of a deadline queue")
struct TicketOfDeadlineQueueTests {
  @Test("never names another element, however often its place is used again")
  func namesOneElement() {
    var queue = DeadlineQueue<Int>()
    var tickets: [DeadlineQueue<Int>.Ticket] = []
    for round in 0..<300 {
      tickets.append(queue.insert(round, due: 0))
      if round % 3 == 0 { _ = queue.popNext(dueBy: 0) }
      if round % 3 == 1 { #expect(queue.remove(tickets[round]) == round) }
    }

    #expect(Set(tickets).count == 300)
    var left: [Int] = []
    for ticket in tickets { if let element = queue.remove(ticket) { left.append(element) } }
    #expect(left.count == 100)
    #expect(tickets.allSatisfy { queue.remove($0) == nil })
  }

  @Test("of another queue names nothing in an empty one")
  func namesNothingElsewhere() {
    var one = DeadlineQueue<Int>()
    var other = DeadlineQueue<Int>()
    let ticket = one.insert(1, due: 0)

    #expect(other.remove(ticket) == nil)
    #expect(one.remove(ticket) == 1)
  }

  @Test("gives its place back, so timers that never fire cost no memory")
  func givesItsPlaceBack() {
    var queue = DeadlineQueue<Int>()
    for number in 0..<10_000 {
      let ticket = queue.insert(number, due: 1_000)
      let other = queue.insert(number, due: 999)
      _ = queue.remove(ticket)
      _ = queue.remove(other)
    }
    #expect(queue.places.count == 2)
    #expect(queue.count == 0)
  }
}

/// Performs each step on a deadline queue and on a list that is searched from end to end.
private struct DeadlineTrial: ~Copyable {
  enum Step {
    case insert(due: Int64, tolerance: Int64)
    case remove(Int)
    case removeAgain(Int)
    case pop(by: Int64)
  }

  private struct Waiting {
    let id: Int
    let due: Int64
    let latest: Int64
  }

  private var queue = DeadlineQueue<Int>()
  private var tickets: [DeadlineQueue<Int>.Ticket] = []
  /// In the order of arrival.
  private var waiting: [Waiting] = []
  private var gone: [Int] = []
  private var steps: [Step] = []
  private var surprise: String?
  private let setting: String

  init(setting: String = "") {
    self.setting = setting
  }

  var hasWaiting: Bool { !waiting.isEmpty }
  var hasGone: Bool { !gone.isEmpty }
  func anyWaiting(_ dice: inout Dice) -> Int { waiting[dice.roll(waiting.count)].id }
  func anyGone(_ dice: inout Dice) -> Int { gone[dice.roll(gone.count)] }

  var possibleSteps: [Step] {
    var steps: [Step] = [.insert(due: 0, tolerance: 0), .insert(due: 0, tolerance: 2)]
    steps += [.insert(due: 1, tolerance: 0), .pop(by: 0), .pop(by: 1)]
    for element in waiting { steps.append(.remove(element.id)) }
    if let last = gone.last { steps.append(.removeAgain(last)) }
    return steps
  }

  /// The index of the element that comes out next: of those with the earliest due time, the one that arrived
  /// first.
  private var next: Int? {
    guard var best = waiting.indices.first else { return nil }
    for index in waiting.indices where waiting[index].due < waiting[best].due { best = index }
    return best
  }

  mutating func perform(_ step: Step) {
    steps.append(step)
    switch step {
    case .insert(let due, let tolerance):
      let id = tickets.count
      tickets.append(queue.insert(id, due: due, tolerance: tolerance))
      waiting.append(Waiting(id: id, due: due, latest: due + tolerance))
    case .remove(let id):
      if queue.remove(tickets[id]) != id { surprise = "did not remove \(id)" }
      waiting.removeAll { $0.id == id }
      gone.append(id)
    case .removeAgain(let id):
      if let other = queue.remove(tickets[id]) { surprise = "removed \(other)" }
    case .pop(let time):
      let popped = queue.popNext(dueBy: time)
      guard let next, waiting[next].due <= time else {
        if let popped { surprise = "took \(popped) early" }
        return
      }
      let expected = waiting.remove(at: next)
      gone.append(expected.id)
      if popped?.element != expected.id || popped?.due != expected.due {
        surprise = "took \(popped, default: "nothing") and not \(expected)"
      }
    }
  }

  func check() throws {
    if let difference = surprise ?? firstDifference() {
      throw Mismatch(difference, after: steps, of: setting)
    }
  }

  private func firstDifference() -> String? {
    if queue.count != waiting.count { return "count is \(queue.count)" }
    if queue.isEmpty != waiting.isEmpty { return "isEmpty is wrong" }
    if queue.nextDeadline != next.map({ waiting[$0].due }) { return "nextDeadline is wrong" }
    var wakeUp: Int64?
    for element in waiting { wakeUp = min(wakeUp ?? .max, element.latest) }
    if queue.nextWakeUp != wakeUp { return "nextWakeUp is \(queue.nextWakeUp, default: "nil")" }
    var first: [[Int64]] = []
    queue.forEachOfFirst(3) { first.append([Int64($0), $1]) }
    let expected = waiting.sorted { ($0.due, $0.id) < ($1.due, $1.id) }.prefix(3)
    if first != expected.map({ [Int64($0.id), $0.due] }) { return "the first three are \(first)" }
    return nil
  }

  mutating func drain() throws {
    var shown: [[Int64]] = []
    queue.forEach({ shown.append([Int64($0), $1]) })
    shown.sort { $0[0] < $1[0] }
    if shown != waiting.map({ [Int64($0.id), $0.due] }) {
      throw Mismatch("shows \(shown)", after: steps, of: setting)
    }
    while hasWaiting, surprise == nil { perform(.pop(by: .max)) }
    perform(.pop(by: .max))
    try check()
  }
}
