internal import TaskDispatch

extension State {
  /// Lets an exploration choose among everything that may happen.
  mutating func takeNext(
    _ driven: RecordingDispatcher.Driven, chosenBy decisions: Decisions
  ) -> Found {
    let moves = exploredMoves(driven, decisions)
    guard !moves.isEmpty else { return .nothing }
    let move: ExploredMove
    if moves.count == 1 {
      move = moves[0]
      decisions.only(move)
    } else {
      move = decisions.choose(among: moves)
    }
    noteWhatOrderShows(decisions)
    return make(move, decisions).map { .body($0) } ?? .again
  }

  /// Notes what the next move touches by its place in the order alone.
  ///
  /// If ends are told to other tasks, or a limit or a shutdown counts tasks, it touches everything. If views contend
  /// for workers, it touches the background.
  private func noteWhatOrderShows(_ decisions: Decisions) {
    guard let reduction = decisions.reduction else { return }
    if !held.isEmpty || !flushes.isEmpty || !waitingForRoom.isEmpty || hasLimits || shutdown != nil
    {
      reduction.touchesEverything()
    }
    if pool.isContended { reduction.touches(.background) }
  }

  /// Everything that may happen, in the order in which the fake prefers it. Time comes last, and only where something
  /// else could run.
  private func exploredMoves(
    _ driven: RecordingDispatcher.Driven, _ decisions: Decisions
  ) -> [ExploredMove] {
    var moves: [ExploredMove] = []
    moves.reserveCapacity(8)
    if driven != .loop { addBackground(to: &moves) }
    if driven != .pool {
      addForeground(to: &moves)
      if !moves.isEmpty, let move = timeAhead(decisions) { moves.append(move) }
    }
    return moves
  }

  private func addBackground(
    to moves: inout [ExploredMove], where isWanted: (borrowing Entry) -> Bool = { _ in true }
  ) {
    for entry in started { moves.append(ExploredMove(action: .started, entry: entry)) }
    let clock = clock
    pool.forEachStartable(now: clock) {
      if isWanted($0) { moves.append(ExploredMove(action: .start, entry: copy $0)) }
    }
  }

  /// Adds the foreground's moves, each before the first background task that was submitted later. There it would run if
  /// nothing else came.
  ///
  /// - Parameter caller: A blocked caller of `sync`. Its own body is no move.
  private func addForeground(to moves: inout [ExploredMove], of caller: SyncCaller? = nil) {
    var place = 0
    forEachKind { kind, entry in
      if let caller, caller.entry === entry { return }
      while place < moves.count, moves[place].entry.id < entry.id { place += 1 }
      let action: ExploredMove.Action =
        switch kind {
        case .timer: .due
        case .event: .event
        case .posted: .posted
        }
      moves.insert(ExploredMove(action: action, entry: entry), at: place)
      place += 1
    }
  }

  private func timeAhead(_ decisions: Decisions) -> ExploredMove? {
    guard let deadline = nextDeadline, deadline > now, deadline <= horizon else { return nil }
    let entry: Entry
    if timers.nextDeadline == deadline {
      entry = timers.withNext { $0.entry }!
    } else {
      entry = shutdown!.deadlineEntry(dispatcher, shutdownFlag)
    }
    return decisions.mayPass(entry) ? ExploredMove(action: .time(deadline), entry: entry) : nil
  }

  private mutating func make(
    _ move: ExploredMove, _ decisions: Decisions, hidesOuter: Bool = false
  ) -> Entry? {
    switch move.action {
    case .goOn: return nil
    case .due: return takeForeground(.timer, hidesOuter: hidesOuter)
    case .event: return takeForeground(.event, hidesOuter: hidesOuter)
    case .posted: return takeForeground(.posted, hidesOuter: hidesOuter)
    case .started, .start:
      while true {
        if let index = started.firstIndex(where: { $0 === move.entry }) {
          return takeStarted(at: index, hidesOuter: hidesOuter)
        }
        guard startBackground() else { return nil }
      }
    case .time(let deadline):
      decisions.passed(move.entry)
      do throws(StepError) { try self.move(to: DispatcherInstant(nanoseconds: deadline)) } catch {
        refuse("time went back to a deadline that lay ahead: \(error)")
      }
      advanceShutdown()
      return takeForeground(.timer)
    }
  }

  // MARK: While a call waits

  /// Makes an entry that stands for a waiting call among the moves. Nil without an exploration.
  mutating func beginCall(_ name: String) -> Entry? {
    guard let decisions else { return nil }
    let body = bodyOfThisThread
    let entry = Entry(
      .registration(name), id: decisions.numberOfCall(), lane: .foreground, view: nil,
      site: body?.site ?? CallSite(fileID: "the scenario", line: 0), at: now,
      parent: body?.lineage, dispatcher: dispatcher, shutdown: shutdownFlag)
    decisions.created(entry, swiftTask: nil)
    return entry
  }

  /// What an exploration lets happen before a waiting call goes on.
  enum Meanwhile {
    /// Nothing.
    case nothing
    /// This body runs.
    case body(Entry)
    /// The time-out of the call comes first.
    case timeOut
  }

  /// Decides what happens before a waiting call goes on. On threads, whatever may run could do so while the call waits.
  mutating func meanwhile(
    _ call: Entry?, of caller: SyncCaller?, timeOut: DispatcherInstant? = nil
  ) -> Meanwhile {
    guard let decisions, let call else { return .nothing }
    var moves: [ExploredMove] = []
    addBackground(to: &moves) { !$0.runsOnCaller }
    if !foregroundIsBusy { addForeground(to: &moves, of: caller) }
    moves.insert(ExploredMove(action: .goOn, entry: call), at: 0)
    if let timeOut, timeOut.nanoseconds > now, moves.count > 1, decisions.mayPass(call) {
      moves.append(ExploredMove(action: .time(timeOut.nanoseconds), entry: call))
    }
    guard moves.count > 1 else { return .nothing }
    let move = decisions.choose(among: moves)
    // The waiting call is in the middle of a body, which goes on afterwards.
    decisions.reduction?.touchesEverything()
    if case .time = move.action {
      decisions.passed(call)
      decisions.fired(call)
      return .timeOut
    }
    return make(move, decisions, hidesOuter: true).map { .body($0) } ?? .nothing
  }

  // MARK: Which tasks have started

  /// Decides which tasks have taken their slot by now, before a call that can observe it for the tasks that matter to
  /// it.
  ///
  /// The tasks ahead of a started one have taken their slots as well.
  mutating func decideStarts(
    _ call: StartCall, of queue: String? = nil, about subject: Entry? = nil,
    where matters: (borrowing Entry) -> Bool
  ) {
    guard let decisions else { return }
    let name = decisions.name(of: call, of: queue, by: bodyOfThisThread, about: subject)
    let clock = clock
    var place = 0
    var startable: [(entry: Entry, place: Int)] = []
    pool.forEachStartable(now: clock) { entry in
      place += 1
      if matters(entry) { startable.append((copy entry, place)) }
    }
    guard !startable.isEmpty else { return }
    let count = decisions.chooseStarts(of: startable.map(\.entry), before: name)
    guard count > 0 else { return }
    for _ in 0..<startable[count - 1].place { _ = startBackground() }
  }

  /// Decides which tasks have started before `entry` comes, which might overtake them.
  mutating func decideStarts(before entry: Entry) {
    let band = entry.band
    guard pool.mayOvertake(in: band) else { return }
    decideStarts(.submission, about: entry) { $0.band < band }
  }

  /// Decides whether an item that is being cancelled has taken its slot, with all tasks that would do so before it.
  mutating func decideWhetherStarted(_ item: WorkItem) {
    guard let decisions, item.stage == .queue, item.lane == .background else { return }
    let clock = clock
    var startable: [Entry] = []
    pool.forEachStartable(now: clock) { startable.append(copy $0) }
    guard let index = startable.firstIndex(where: { $0.item === item }) else { return }
    let name = decisions.name(of: .cancel, by: bodyOfThisThread, about: startable[index])
    guard decisions.chooseStarts(of: [startable[index]], before: name) > 0 else { return }
    for _ in 0...index { _ = startBackground() }
  }
}

extension ShutdownProgress {
  /// Makes an entry that stands for the shutdown's deadlines among the moves.
  func deadlineEntry(_ dispatcher: ObjectIdentifier, _ flag: ShutdownFlag) -> Entry {
    Entry(
      .registration("the deadline of the shutdown"), id: 0, lane: .foreground, view: nil,
      site: CallSite(fileID: "beginShutdown(_:)", line: 0), at: 0, parent: nil,
      dispatcher: dispatcher, shutdown: flag)
  }
}
