internal import Synchronization
internal import TaskDispatch

/// How the dispatchers of a process share the threads of libuv's pool (rule 12).
///
/// A worker run starts only if after that one thread is left for libuv's other users, and one for each other
/// dispatcher that has used its background and runs nothing there; but half of the threads are not kept for
/// those, or many dispatchers that are idle would leave one thread to the one that is busy. A dispatcher that
/// may not start a run is *short*: when a thread is free for it, it is called. Of those of which nothing goes on, the
/// first that became short has the first thread: one that has just given back its own comes after them.
///
/// Nothing of a dispatcher *goes on* if it has no run, or if the thread of each is blocked: in this dispatcher or in
/// another one. Then no thread is kept from it for dispatchers that are idle.
///
/// A dispatcher that threads are blocked in is *urgent*: what they wait for needs a thread, and they may hold all
/// others themselves. If nothing of it goes on, it may have the thread of libuv's other users: the *spare* thread. One
/// urgent dispatcher has that at a time, in the order in which they became short.
///
/// Its lock is taken under that of a dispatcher. It calls none while it holds it.
final class PoolShares: Sendable {
  static let ofProcess = PoolShares()

  fileprivate let state = Locked(State())
  /// How many dispatchers are short, and of how many of them nothing goes on. Changed under the lock.
  private let short = Atomic(0)
  private let waiting = Atomic(0)

  fileprivate struct State {
    /// Worker runs of all dispatchers, but not one that has the spare thread.
    var runs = 0
    /// Dispatchers that have used their background, and run nothing there.
    var idle = 0
    /// Those that are short: of which nothing goes on, and the others.
    var waiting = Line()
    var busy = Line()
    /// Those of `waiting` that are urgent.
    var urgent = Line(isOfUrgent: true)
    /// One of the runs has the spare thread.
    var isSpareTaken = false
    #if DEBUG
      var looks = 0
    #endif

    /// The first that waits and `isMeant`, of as many as there are threads for.
    mutating func firstWaiting(where isMeant: (PoolShare) -> Bool) -> PoolShare? {
      var (next, before) = (waiting.first, 0)
      while let share = next, before < share.threadsLeft(self) {
        #if DEBUG
          looks += 1
        #endif
        if isMeant(share) { return share }
        (next, before) = (share.record[false].next, before + 1)
      }
      return nil
    }
  }

  /// Dispatchers in the order in which they came. Each change takes the same time, however many there are.
  fileprivate struct Line {
    private(set) var first: PoolShare?
    private var last: PoolShare?
    private(set) var count = 0
    /// A dispatcher that is urgent stands in two lines.
    private let isOfUrgent: Bool

    init(isOfUrgent: Bool = false) { self.isOfUrgent = isOfUrgent }

    mutating func append(_ share: PoolShare) {
      share.record[isOfUrgent].previous = last
      if let last { last.record[isOfUrgent].next = share } else { first = share }
      last = share
      count += 1
    }

    mutating func remove(_ share: PoolShare) {
      let neighbours = share.record[isOfUrgent]
      let (previous, next) = (neighbours.previous, neighbours.next)
      if let previous { previous.record[isOfUrgent].next = next } else { first = next }
      if let next { next.record[isOfUrgent].previous = previous } else { last = previous }
      share.record[isOfUrgent] = PoolShare.Neighbours()
      count -= 1
    }
  }

  /// Whether a dispatcher of which nothing goes on waits for a thread. Then the others give one back at the end of
  /// their time slice.
  var isAwaited: Bool { waiting.load(ordering: .relaxed) > 0 }

  #if DEBUG
    /// How many dispatchers have been looked at in a line.
    var looks: Int { state.withLock { $0.looks } }
  #endif

  /// Calls the dispatchers for which a thread is free now. Under no lock.
  func callThoseInShort() {
    // One that becomes short after this thread has given back its own has seen that.
    if short.load(ordering: .relaxed) == 0 { return }
    let releases = TaskFrame.threadReleases
    TaskFrame.threadReleases = true
    defer { TaskFrame.threadReleases = releases }
    while let share = callOneThatMayStart() {
      state.withLock { _ in share.record.callers -= 1 }
    }
  }

  /// - Returns: The one that was called. What it was called by is released, which may have held its dispatcher last.
  private func callOneThatMayStart() -> PoolShare? {
    guard let (share, call) = findOneThatMayStart() else { return nil }
    call()
    // It needs none any more.
    state.withLock { if share.record.isCalled { leaveShort(share, &$0) } }
    return share
  }

  private func findOneThatMayStart() -> (PoolShare, call: @Sendable () -> Void)? {
    state.withLock { state in
      guard
        let share = state.firstWaiting(where: { !$0.record.isCalled }) ?? firstUrgent(state)
          ?? firstBusy(&state),
        let call = share.record.call
      else { return nil }
      // Until it has answered the thread is kept for it.
      share.record.isCalled = true
      share.record.callers += 1
      return (share, call)
    }
  }

  /// The first that is urgent, if it was not called, and may have the spare thread.
  private func firstUrgent(_ state: State) -> PoolShare? {
    guard !state.isSpareTaken, let share = state.urgent.first, !share.record.isCalled else {
      return nil
    }
    return share
  }

  /// The first of which something goes on, that was not called, and may start another run. All of them may, or none.
  private func firstBusy(_ state: inout State) -> PoolShare? {
    var next = state.busy.first
    // Others are calling these.
    while let share = next, share.record.isCalled { next = share.record[false].next }
    guard let share = next, share.thread(&state) != nil else { return nil }
    return share
  }

  fileprivate func enterShort(_ share: PoolShare, _ state: inout State) {
    share.record.isCalled = false
    guard !share.record.isShort else { return }
    share.record.call = share.makeCall()
    short.add(1, ordering: .relaxed)
    enterLine(share, &state)
  }

  fileprivate func leaveShort(_ share: PoolShare, _ state: inout State) {
    guard share.record.isShort else { return }
    share.record.isCalled = false
    share.record.call = nil
    short.subtract(1, ordering: .relaxed)
    leaveLine(share, &state)
  }

  /// A thread of one of its runs is blocked now, or goes on. - Returns: Whether nothing of it goes on since then.
  fileprivate func changeLine(_ share: PoolShare, _ state: inout State) -> Bool {
    guard share.record.isShort, share.record.isWaiting == share.record.goesOn else { return false }
    leaveLine(share, &state)
    enterLine(share, &state)
    return share.record.isWaiting
  }

  private func enterLine(_ share: PoolShare, _ state: inout State) {
    share.record.isWaiting = !share.record.goesOn
    guard share.record.isWaiting else { return state.busy.append(share) }
    state.waiting.append(share)
    waiting.add(1, ordering: .relaxed)
    if share.record.blocked > 0 { state.urgent.append(share) }
  }

  private func leaveLine(_ share: PoolShare, _ state: inout State) {
    guard share.record.isWaiting else { return state.busy.remove(share) }
    state.waiting.remove(share)
    waiting.subtract(1, ordering: .relaxed)
    if share.record.blocked > 0 { state.urgent.remove(share) }
    share.record.isWaiting = false
  }
}

/// What one dispatcher has of the pool.
final class PoolShare: Sendable {
  private let shares: PoolShares
  /// How many threads the dispatchers may have together.
  private let capacity: Int
  /// What lets the dispatcher look again whether it starts a run, under no lock. It holds the dispatcher, which
  /// has a task for the pool, as a run would.
  fileprivate let makeCall: @Sendable () -> @Sendable () -> Void
  fileprivate let record = Record()

  fileprivate final class Record: @unchecked Sendable {
    // Touched under the lock of `shares`.
    var runs = 0
    /// Runs whose thread is blocked.
    var blockedRuns = 0
    var hasUsed = false
    /// What the dispatcher is called by, while it is short. Dropped where the dispatcher is held elsewhere.
    var call: (@Sendable () -> Void)?
    /// It is short, and nothing of it goes on.
    var isWaiting = false
    /// It was called, and has not answered.
    var isCalled = false
    /// Threads that call it, and look for another one to call after that.
    var callers = 0
    var isOver = false
    /// Threads that are blocked in the dispatcher, or until a group is empty that it has members of.
    var blocked = 0
    /// One of its runs has the spare thread.
    var hasSpare = false
    // While it is short.
    private var neighbours = Neighbours()
    private var urgentNeighbours = Neighbours()

    var isShort: Bool { call != nil }
    /// Whether one of its runs is not blocked.
    var goesOn: Bool { runs > blockedRuns }

    subscript(isOfUrgent: Bool) -> Neighbours {
      get { isOfUrgent ? urgentNeighbours : neighbours }
      set { if isOfUrgent { urgentNeighbours = newValue } else { neighbours = newValue } }
    }
  }

  /// Those before and behind it in a line.
  fileprivate struct Neighbours {
    var previous: PoolShare?
    var next: PoolShare?
  }

  /// What a run may have.
  fileprivate enum Thread { case any, spare }

  /// - Parameters:
  ///   - threads: Of the pool.
  ///   - makeCall: What it makes is called once a thread may be free. It may hold the dispatcher: it is let go of
  ///     when the dispatcher has its thread, or needs none any more.
  init(
    of shares: PoolShares, threads: Int,
    makeCall: @escaping @Sendable () -> @Sendable () -> Void
  ) {
    self.shares = shares
    capacity = max(1, threads - 1)
    self.makeCall = makeCall
  }

  /// Takes a thread for a run, if one is free for that. Else the dispatcher is short.
  func begin() -> Bool {
    shares.state.withLock { state in
      noteUse(&state)
      guard let thread = thread(&state) else {
        shares.enterShort(self, &state)
        return false
      }
      shares.leaveShort(self, &state)
      take(thread, &state)
      return true
    }
  }

  /// Takes a thread for a second run, without which the dispatcher is not short.
  func beginAnother() -> Bool {
    shares.state.withLock { state in
      guard let thread = thread(&state) else { return false }
      take(thread, &state)
      return true
    }
  }

  /// Gives back the thread of a run. ``PoolShares/callThoseInShort()`` has to follow, under no lock.
  func end() {
    shares.state.withLock { state in
      // It looks again whether it needs another one.
      shares.leaveShort(self, &state)
      if record.hasSpare {
        record.hasSpare = false
        state.isSpareTaken = false
      } else {
        state.runs -= 1
      }
      record.runs -= 1
      if record.runs == 0, !record.isOver { state.idle += 1 }
    }
  }

  /// A thread is blocked in the dispatcher, or until a group is empty that it has members of.
  ///
  /// - Returns: Whether the dispatcher may have the spare thread now. Then ``callOthers()`` has to follow, under no
  ///   lock.
  func beginBlocking() -> Bool {
    shares.state.withLock { state in
      record.blocked += 1
      guard record.blocked == 1, record.isWaiting else { return false }
      state.urgent.append(self)
      return !state.isSpareTaken
    }
  }

  func endBlocking() {
    shares.state.withLock { state in
      if record.blocked == 1, record.isWaiting { state.urgent.remove(self) }
      record.blocked -= 1
    }
  }

  /// The thread of one of its runs is blocked. ``endBlockedRun()`` ends that.
  ///
  /// - Returns: Whether it may have another thread since then. Then ``callOthers()`` has to follow, under no lock.
  func beginBlockedRun() -> Bool {
    shares.state.withLock { state in
      record.blockedRuns += 1
      return shares.changeLine(self, &state)
    }
  }

  func endBlockedRun() {
    shares.state.withLock { state in
      record.blockedRuns -= 1
      _ = shares.changeLine(self, &state)
    }
  }

  /// ``PoolShares/callThoseInShort()``.
  func callOthers() { shares.callThoseInShort() }

  /// No run of the dispatcher starts any more: no thread is kept for it.
  func leave() {
    let isBeingCalled = shares.state.withLock { state in
      shares.leaveShort(self, &state)
      if record.hasUsed, record.runs == 0, !record.isOver { state.idle -= 1 }
      record.isOver = true
      return record.callers > 0
    }
    // A thread that calls it looks for the next one, and may be this one: in the release of what it called. Many
    // that are let go of like that do not stand on each other's stacks.
    if !isBeingCalled { shares.callThoseInShort() }
  }

  private func noteUse(_ state: inout PoolShares.State) {
    if record.hasUsed { return }
    record.hasUsed = true
    if !record.isOver { state.idle += 1 }
  }

  private func take(_ thread: Thread, _ state: inout PoolShares.State) {
    if record.runs == 0, !record.isOver { state.idle -= 1 }
    record.runs += 1
    switch thread {
    case .any: state.runs += 1
    case .spare:
      record.hasSpare = true
      state.isSpareTaken = true
    }
  }

  /// The thread that it may have for another run; nil for none.
  fileprivate func thread(_ state: inout PoolShares.State) -> Thread? {
    let left = threadsLeft(state) - state.waiting.count
    guard !record.goesOn else { return left > min(state.idle, capacity / 2) ? .any : nil }
    let isNext = record.isWaiting ? state.firstWaiting { $0 === self } != nil : left > 0
    if isNext { return .any }
    guard record.blocked > 0, !state.isSpareTaken else { return nil }
    return state.urgent.first.map { $0 === self } ?? true ? .spare : nil
  }

  /// How many threads are free, the spare one aside.
  fileprivate func threadsLeft(_ state: PoolShares.State) -> Int { capacity - state.runs }
}
