@testable import TaskDispatch

/// Performs each step on a ready queue and on its naive model, and `check` compares the two.
///
/// The medium band may be filled by way of an inbox, as the real dispatcher fills it.
struct ReadyQueueTrial: ~Copyable {
  enum Step {
    case push(PriorityBand)
    case post
    case absorb
    case take(after: Int64)
    case remove(Int)
    case pushBarrier(PriorityBand)
    case takeBarrier
    case removeBarrier(Int)
  }

  /// A waiting element. It knows its position, as a task does that can be cancelled.
  private final class Item {
    let id: Int
    let band: PriorityBand
    let isBarrier: Bool
    var position = -1
    private let census: Counts

    init(id: Int, band: PriorityBand, isBarrier: Bool, census: Counts) {
      self.id = id
      self.band = band
      self.isBarrier = isBarrier
      self.census = census
      census.living += 1
    }

    deinit {
      census.living -= 1
    }
  }

  private final class Counts {
    var living = 0
    var relocations = 0
    var clockReadings = 0
  }

  private var queue: ReadyQueue<Item>
  private(set) var model: NaiveReadyQueue
  private var inbox = Ring<Item>()
  private var posted: [Int] = []
  private var items: [Int: Item] = [:]
  private var time: Int64 = 0
  private var nextID = 0
  private var steps: [Step] = []
  private var surprise: String?
  private let counts = Counts()
  private let setting: String

  init(agingStep: Int64, setting: String = "") {
    let counts = counts
    queue = ReadyQueue(agingStep: agingStep) { item, position in
      item.position = position
      counts.relocations += 1
    }
    model = NaiveReadyQueue(agingStep: agingStep)
    self.setting = "aging step \(agingStep) \(setting)"
  }

  /// How often compaction has moved an element so far.
  var relocations: Int { counts.relocations }

  /// The elements that can be removed: those that wait, the oldest first, and those in the inbox.
  var removable: [Int] { model.waiting.map(\.id) + posted }

  var removableCount: Int { model.waiting.count + posted.count }

  func isWaiting(_ id: Int) -> Bool { items[id] != nil }

  /// The step that takes back `id`.
  func removal(of id: Int) -> Step {
    items[id]!.isBarrier ? .removeBarrier(id) : .remove(id)
  }

  mutating func perform(_ step: Step) {
    steps.append(step)
    switch step {
    case .push(let band):
      let item = newItem(band)
      item.position = queue.push(item, in: band)
      model.push(item.id, in: band)
    case .post:
      let item = newItem(.medium)
      item.position = inbox.append(item)
      posted.append(item.id)
    case .absorb:
      queue.absorb(&inbox, in: .medium)
      for id in posted { model.push(id, in: .medium) }
      posted = []
      if !inbox.isEmpty { surprise = "the inbox is not empty" }
    case .take(let delay):
      time += delay
      let time = time
      let counts = counts
      counts.clockReadings = 0
      let taken = queue.take {
        counts.clockReadings += 1
        return time
      }
      let expected = model.take(at: time)
      noteTaken(taken, expected?.taken)
      let readsClock = (expected?.passedOver ?? 0) > 0
      if counts.clockReadings != (readsClock ? 1 : 0) {
        surprise = "the clock was read \(counts.clockReadings) times"
      }
    case .remove(let id):
      let item = items.removeValue(forKey: id)!
      let removed =
        if let index = posted.firstIndex(of: id) {
          (inbox.remove(at: item.position), posted.remove(at: index)).0
        } else {
          takeOut(item)
        }
      model.remove(id)
      if removed?.id != id { surprise = "removed \(removed?.id, default: "nothing")" }
    case .pushBarrier(let band):
      let item = newItem(band, isBarrier: true)
      item.position = queue.pushBarrier(item, in: band)
      model.push(item.id, in: band, isBarrier: true)
    case .takeBarrier:
      noteTaken(queue.takeBarrier(), model.takeBarrier())
    case .removeBarrier(let id):
      let item = items.removeValue(forKey: id)!
      let removed = queue.removeBarrier(at: item.position)
      model.remove(id)
      if removed?.id != id { surprise = "removed barrier \(removed?.id, default: "nothing")" }
    }
  }

  private mutating func newItem(_ band: PriorityBand, isBarrier: Bool = false) -> Item {
    let item = Item(id: nextID, band: band, isBarrier: isBarrier, census: counts)
    nextID += 1
    items[item.id] = item
    return item
  }

  private mutating func noteTaken(_ taken: Item?, _ expected: NaiveReadyQueue.Waiting?) {
    if taken?.id != expected?.id {
      surprise = "took \(taken?.id, default: "nothing"), not \(expected?.id, default: "nothing")"
    }
    if let taken { items[taken.id] = nil }
  }

  /// Compares everything that can be seen of the queue with the model.
  func check() throws {
    if let difference = surprise ?? firstDifference() {
      throw Mismatch(difference, after: steps, of: setting)
    }
  }

  private func firstDifference() -> String? {
    if counts.living != items.count { return "\(counts.living) live, \(items.count) wait" }
    if queue.isEmpty != model.waiting.isEmpty { return "isEmpty is wrong" }
    if queue.count != model.waiting.count { return "count is \(queue.count)" }
    var startable = 0
    for band in PriorityBand.allCases {
      let count = queue.startable[band.index]
      if count != model.startableCount(in: band) {
        return "startable in \(band) is \(count)"
      }
      startable += count
    }
    if queue.hasStartable != (startable > 0) { return "hasStartable is wrong" }
    if queue.nextBarrierBand != model.nextBarrier?.band { return "nextBarrierBand is wrong" }
    if queue.withNextBarrier({ $0.id }) != model.nextBarrier?.id { return "next barrier is wrong" }
    for moment in [time, time + model.agingStep] {
      let next = queue.withNext(now: { moment }, { $0.id })
      if next != model.next(at: moment)?.id { return "next is \(next, default: "none")" }
    }
    return firstBrokenBound()
  }

  /// Takes out every second element by leaving a tombstone, as code does that knows that the element is there.
  private mutating func takeOut(_ item: Item) -> Item? {
    guard item.id % 2 == 0 else { return queue.remove(at: item.position, in: item.band) }
    guard queue.leaveTombstone(at: item.position, in: item.band) else { return nil }
    letGoOfShare(in: item)
    return item
  }

  /// In each band, tombstones never outnumber live slots by more than the allowance.
  private func firstBrokenBound() -> String? {
    let allowance = ReadyQueue<Item>.deadAllowance
    var dead = 0
    for band in PriorityBand.allCases {
      let slots = queue.bands[band.index].ring.slotCount
      let alive = queue.startable[band.index] + queue.bands[band.index].fenced
      if slots - alive > alive + allowance { return "\(slots) slots for \(alive) in \(band)" }
      dead += slots - alive
    }
    let alive = model.waiting.count(where: \.isBarrier)
    let slots = queue.barriers.slotCount
    if slots - alive > alive + allowance { return "\(slots) slots for \(alive) barriers" }
    if queue.deadSlots != dead + slots - alive { return "deadSlots is \(queue.deadSlots)" }
    return nil
  }

  /// Compares what the queue shows. Not part of `check`, because it is slow.
  func checkShown() throws {
    var shown: [Int] = []
    var misplaced: [Int] = []
    queue.forEachPosition { item, position, isBarrier in
      shown.append(item.id)
      if item.position != position || item.isBarrier != isBarrier { misplaced.append(item.id) }
    }
    if shown != model.shown { throw Mismatch("shows \(shown)", after: steps, of: setting) }
    if misplaced != [] { throw Mismatch("misplaces \(misplaced)", after: steps, of: setting) }
  }

  /// Takes everything out, and compares the order.
  mutating func drain() throws {
    while !queue.isEmpty, surprise == nil {
      perform(queue.hasStartable ? .take(after: 0) : .takeBarrier)
    }
    try check()
    perform(.take(after: 0))
    perform(.takeBarrier)
    try check()
  }
}
