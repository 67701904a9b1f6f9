package import TaskDispatch

/// Something that may happen next. A ``MoveChooser`` receives all of them and names one.
package enum Move: Sendable, Hashable {
  /// The head of the foreground's timers whose time has come runs.
  case due(TaskID)
  /// The oldest signal or descriptor is served.
  case event(TaskID)
  /// The oldest posted foreground task runs.
  case posted(TaskID)
  /// A background task that has taken its slot runs.
  case run(TaskID)
  /// The background's head takes a slot.
  case start
}

/// Decides what happens next where several things may.
package protocol MoveChooser: AnyObject, Sendable {
  /// The index of one of `moves`, of which there is at least one.
  func choose(among moves: [Move]) -> Int
}

extension State {
  /// Everything that may happen now, in the order in which the fake prefers it.
  ///
  /// Bodies of started tasks come before the start of another task: no task can overtake them any more.
  func legalMoves() -> [Move] {
    var moves: [Move] = []
    let time = now
    let clock = { time }
    forEachKind { kind, entry in
      let id = TaskID(entry.id)
      switch kind {
      case .timer: moves.append(.due(id))
      case .event: moves.append(.event(id))
      case .posted: moves.append(.posted(id))
      }
    }
    moves += started.map { .run(TaskID($0.id)) }
    if pool.canStart(now: clock) { moves.append(.start) }
    return moves
  }

  /// Performs `move`. Returns the body that it leads to, if there is one.
  mutating func make(_ move: Move) -> Entry? {
    switch move {
    case .due: return takeForeground(.timer)
    case .event: return takeForeground(.event)
    case .posted: return takeForeground(.posted)
    case .run(let id):
      guard let index = started.firstIndex(where: { $0.id == id.number }) else {
        refuse("\(id) has not started")
      }
      return takeStarted(at: index, hidesOuter: false)
    case .start:
      _ = startBackground()
      return nil
    }
  }

  /// What a search for the next body has found.
  enum Found {
    case body(Entry)
    /// Something else was done, and another search may find more.
    case again
    case nothing
  }

  /// The next body to run. An exploration chooses it. Without one, it is the task that was submitted first among the
  /// next tasks of the two lanes.
  mutating func takeNext(_ driven: RecordingDispatcher.Driven) -> Found {
    if let decisions { return takeNext(driven, chosenBy: decisions) }
    let next: Entry? =
      switch driven {
      case .loop: takeForeground()
      case .pool: takeBackground()
      case .everything:
        foregroundGoesFirst()
          ? takeForeground() ?? takeBackground() : takeBackground() ?? takeForeground()
      }
    return next.map { .body($0) } ?? .nothing
  }

  /// Decides by age and not by alternation, so that no order depends on what other work there is.
  private func foregroundGoesFirst() -> Bool {
    guard let foreground = idOfNextForeground else { return false }
    let clock = clock
    let background = started.first?.id ?? pool.withNext(now: clock) { $0.id }
    return background.map { foreground < $0 } ?? true
  }

  /// Returns the current time. For queues that ask for it only when they need it.
  var clock: () -> Int64 { { [now] in now } }

  private var idOfNextForeground: UInt64? {
    let clock = clock
    return foreground.withNext(now: clock) { $0.id }
  }
}
