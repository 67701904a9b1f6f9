@testable import TaskDispatch

/// The rule for views against each other as its text has it, whatever it costs.
///
/// Here the background always holds ready tokens, like every view. In the real pool a worker takes straight
/// from the background's queue; the tests show that this gives the same order. The model is exact while no head
/// climbs. Once heads age, tokens would have aged here that the real background never had to hold.
struct NaivePool {
  struct Start: Equatable {
    let id: Int
    let view: Int
  }

  let width: Int
  var views: [NaiveView]
  /// The views' ready tokens, as a queue that keeps rule 7.
  private var turns: NaiveReadyQueue
  private var held: [[(turn: Int, band: PriorityBand)]]
  private var nextToken = 0
  /// The calls of `sync` that were admitted since this was last emptied.
  var grants: [Start] = []

  /// The background is view 0.
  init(width: Int, viewWidths: [[Int]], agingStep: Int64) {
    self.width = width
    views = ([[width, width]] + viewWidths).map {
      NaiveView(width: $0[0], workerWidth: $0[1], agingStep: agingStep)
    }
    turns = NaiveReadyQueue(agingStep: agingStep)
    held = views.map { _ in [] }
  }

  var busyWorkers: Int { views.reduce(0) { $0 + $1.onWorkers } }

  /// Whether a free worker could start something of any view, in whatever order.
  func hasWork(at time: Int64) -> Bool {
    busyWorkers < width && views.contains { $0.forWorker(at: time) != nil }
  }

  mutating func start(at time: Int64) -> Start? {
    guard busyWorkers < width else { return nil }
    while let turn = turns.take(at: time)?.taken.id {
      let view = held.firstIndex { $0.contains { $0.turn == turn } }!
      held[view].removeAll { $0.turn == turn }
      let next = views[view].forWorker(at: time)
      if next != nil { views[view].take(at: time, onWorker: true) }
      reconcile(view, at: time)
      if let next { return Start(id: next, view: view) }
    }
    return nil
  }

  mutating func help(_ view: Int, at time: Int64) -> Start? {
    guard let next = views[view].forHelper(at: time) else { return nil }
    views[view].take(at: time, onWorker: false)
    return Start(id: next, view: view)
  }

  /// Admits the entry that is next in `view`, if it belongs to a call of `sync`.
  mutating func grantNext(of view: Int, at time: Int64) -> Bool {
    guard let next = views[view].forCaller(at: time) else { return false }
    views[view].take(at: time, onWorker: false)
    grants.append(Start(id: next, view: view))
    return true
  }

  /// Admits the calls of `sync` that may run, and gives `view` the ready tokens that it should hold.
  mutating func reconcile(_ view: Int, at time: Int64) {
    while grantNext(of: view, at: time) {}
    var missing: [PriorityBand] = []
    var surplus = held[view]
    for band in views[view].wantedTokens(at: time) {
      if let index = surplus.firstIndex(where: { $0.band == band }) {
        surplus.remove(at: index)
      } else {
        missing.append(band)
      }
    }
    for (turn, _) in surplus {
      turns.remove(turn)
      held[view].removeAll { $0.turn == turn }
    }
    for band in missing {
      turns.push(nextToken, in: band)
      held[view].append((nextToken, band))
      nextToken += 1
    }
  }
}
