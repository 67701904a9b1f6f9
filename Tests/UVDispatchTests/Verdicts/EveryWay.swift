/// Tries every way in which a state can go on, one event at a time, and remembers which states it has seen.
///
/// It has all the hopes of ``Outlook``, and does not share its argument that one way is enough. A task that
/// starts takes a place and a thread until it ends, and of two tasks that may start, each is tried first. It is
/// slow, and only for tests of the checker.
struct EveryWay {
  private let context: Int
  private var seen: Set<WaitState> = []
  /// The most states that are looked at.
  private let most: Int
  private(set) var isExhausted = true

  /// - Parameter frame: The number of the frame that waits.
  init(endsWaitOf context: Int, most: Int = 20_000) {
    self.context = context
    self.most = most
  }

  /// Whether some way ends the wait.
  mutating func exists(from state: WaitState) -> Bool {
    var next = state
    for timer in state.timers {
      next.queues[timer.queue].items.append(
        .init(content: .task(timer.task), isBarrier: timer.isBarrier))
    }
    next.timers = []
    for queue in next.queues.indices { next.queues[queue].suspensions = 0 }
    for group in next.groups.indices where next.groups[group].handEntries > 0 {
      next.groups[group].handEntries = 0
      if next.groups[group].isEmpty { next.groups[group].round += 1 }
    }
    var open = [next]
    while let state = open.popLast() {
      guard seen.insert(state).inserted else { continue }
      if seen.count > most {
        isExhausted = false
        return false
      }
      guard let waiter = state.context(context), case .waiting = waiter.activity else {
        return true
      }
      open += successors(of: state)
    }
    return false
  }

  private func successors(of state: WaitState) -> [WaitState] {
    var found: [WaitState] = []
    for top in state.tops {
      var next = state
      if case .waiting(let target, let isTimed) = top.activity {
        guard isTimed || state.hasComeAbout(target) else { continue }
        next.contexts[state.index(ofFrame: top.number)!].activity = .moving
      } else {
        next.endFrame(top.number)
      }
      found.append(next)
    }
    if let callback = state.nextCallback {
      var next = state
      next.endCallback(callback)
      found.append(next)
    }
    for queue in state.queues.indices {
      found += starts(of: queue, in: state)
    }
    return found
  }

  private func starts(of queue: Int, in state: WaitState) -> [WaitState] {
    guard state.canStartFirst(of: queue, helps: true) else { return [] }
    var next = state
    let item = next.queues[queue].items.removeFirst()
    let number = 1_000_000 + state.contexts.map(\.number).max().map { $0 % 1_000_000 + 1 }!
    func begun(_ work: WaitState.Work, on place: WaitState.Place) -> WaitState {
      var begun = next
      begun.contexts.append(
        .init(number: number, place: place, work: work, queue: queue, isBarrier: item.isBarrier))
      return begun
    }
    switch item.content {
    case .caller(let caller, let ticket):
      let place = queue == WaitProgram.foreground ? .loop : state.context(caller)!.place
      return [begun(.syncBody(ticket), on: place)]
    case .task(let task):
      if queue == WaitProgram.foreground { return [begun(.task(task), on: .loop)] }
      var places: [WaitState.Place] = []
      if state.hasWorker {
        // Idle workers are alike, so this takes the first number that is free.
        let taken = Set(state.contexts.map(\.place))
        places.append(
          (UInt(0)...).lazy.map { WaitState.Place.worker($0) }.first { !taken.contains($0) }!)
      }
      places += state.helpers(of: queue).map(\.place)
      return places.map { begun(.task(task), on: $0) }
    }
  }
}
