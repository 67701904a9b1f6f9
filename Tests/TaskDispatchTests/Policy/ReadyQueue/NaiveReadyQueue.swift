@testable import TaskDispatch

/// Rule 7 and the barriers as their text has them, whatever it costs.
///
/// It keeps one list in the order of arrival, and for each element the time of the take that first passed it
/// over. It works out everything else anew at each question. (Plain loops: a hundred thousand programs are
/// tried in a debug build.)
struct NaiveReadyQueue {
  struct Waiting {
    let id: Int
    let band: PriorityBand
    let isBarrier: Bool
    var passedOverAt: Int64?
  }

  let agingStep: Int64
  private(set) var waiting: [Waiting] = []

  init(agingStep: Int64) {
    self.agingStep = agingStep
  }

  mutating func push(_ id: Int, in band: PriorityBand, isBarrier: Bool = false) {
    waiting.append(Waiting(id: id, band: band, isBarrier: isBarrier))
  }

  mutating func remove(_ id: Int) {
    waiting.removeAll { $0.id == id }
  }

  /// The barrier that is next, if everything before it is gone.
  var nextBarrier: Waiting? {
    guard let first = waiting.first, first.isBarrier else { return nil }
    return first
  }

  /// The index of the oldest element of each band before the first barrier, the highest band first.
  private var heads: [Int] {
    var heads = [-1, -1, -1, -1]
    var index = 0
    while index < waiting.count, !waiting[index].isBarrier {
      let band = Int(waiting[index].band.rawValue)
      if heads[band] < 0 { heads[band] = index }
      index += 1
    }
    heads.removeAll { $0 < 0 }
    return heads
  }

  /// "It climbs a band each aging step."
  private func level(_ head: Int, at time: Int64) -> Int64 {
    let band = Int64(waiting[head].band.rawValue)
    guard let since = waiting[head].passedOverAt else { return band }
    return max(0, band - (time - since) / agingStep)
  }

  /// "A higher band starts first. On one level the earliest passed-over wins, and an aged head beats
  /// an unaged one."
  private func goesBefore(_ one: Int, _ other: Int, at time: Int64) -> Bool {
    let oneLevel = level(one, at: time)
    let otherLevel = level(other, at: time)
    if oneLevel != otherLevel { return oneLevel < otherLevel }
    guard let oneSince = waiting[one].passedOverAt else { return false }
    guard let otherSince = waiting[other].passedOverAt else { return true }
    return oneSince < otherSince
  }

  /// The one of `heads` that goes first. Of equal heads, the higher band goes first.
  private func first(of heads: [Int], at time: Int64) -> Int? {
    guard var best = heads.first else { return nil }
    for head in heads where goesBefore(head, best, at: time) { best = head }
    return best
  }

  /// The element that a take at `time` would return.
  func next(at time: Int64) -> Waiting? {
    first(of: heads, at: time).map { waiting[$0] }
  }

  /// Takes the element that goes first. "Only a band's head ages, from the first take that passes it over."
  mutating func take(at time: Int64) -> (taken: Waiting, passedOver: Int)? {
    let heads = heads
    guard let best = first(of: heads, at: time) else { return nil }
    for head in heads where head != best && waiting[head].passedOverAt == nil {
      waiting[head].passedOverAt = time
    }
    return (waiting.remove(at: best), heads.count - 1)
  }

  mutating func takeBarrier() -> Waiting? {
    guard let barrier = nextBarrier else { return nil }
    waiting.removeFirst()
    return barrier
  }

  /// How many elements of `band` stand before the first barrier.
  func startableCount(in band: PriorityBand) -> Int {
    var count = 0
    var index = 0
    while index < waiting.count, !waiting[index].isBarrier {
      if waiting[index].band == band { count += 1 }
      index += 1
    }
    return count
  }

  /// The elements in the order in which the queue shows them: band by band, each in order of arrival, then the
  /// barriers.
  var shown: [Int] {
    PriorityBand.allCases.flatMap { band in
      waiting.filter { $0.band == band && !$0.isBarrier }.map(\.id)
    } + waiting.filter(\.isBarrier).map(\.id)
  }
}
