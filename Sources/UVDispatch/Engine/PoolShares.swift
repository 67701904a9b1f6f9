internal import Synchronization
internal import TaskDispatch

/// How the dispatchers of a process share the threads of libuv's pool (rule 12).
///
/// A worker run starts only if after that one thread is left for libuv's other users, and one for each *idle*
/// dispatcher: one that has used its background and runs nothing there. At most half of the threads are kept for idle
/// dispatchers: else many of them would leave one thread to a busy one. A dispatcher that may not start a run is
/// *short*. It is called when a thread is free for it. The first thread goes to the dispatcher that became short
/// first, among those of which nothing goes on. One that has just given back its own thread comes after them.
///
/// Nothing of a dispatcher *goes on* if it has no run, or if the thread of each run is blocked, in this dispatcher or
/// in another one. Then no thread is kept from it for idle dispatchers.
///
/// A dispatcher is *urgent* if threads are blocked in it: what they wait for needs a thread, and they may hold all
/// others themselves. An urgent dispatcher of which nothing goes on may have the thread of libuv's other users, the
/// *spare* thread. One dispatcher has it at a time, in the order in which they became short.
///
/// A thread takes this lock under that of a dispatcher, and calls no dispatcher while it holds it.
final class PoolShares: Sendable {
  static let ofProcess = PoolShares()

  fileprivate let state = Locked(State())
  /// How many dispatchers are short, and of how many of these nothing goes on. Changed under the lock.
  private let short = Atomic(0)
  private let waiting = Atomic(0)

  fileprivate struct State {
    /// Worker runs of all dispatchers, except the one that has the spare thread.
    var runs = 0
    /// Dispatchers that have used their background, and run nothing there.
    var idle = 0
    /// Short dispatchers: those of which nothing goes on, and the others.
    var waiting = Line()
    var busy = Line()
    /// The urgent dispatchers of `waiting`.
    var urgent = Line(isOfUrgent: true)
    /// One of the runs has the spare thread.
    var isSpareTaken = false
    #if DEBUG
      var looks = 0
    #endif

    /// The first dispatcher of `waiting` that `isMeant`, among as many as there are threads for.
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
    /// Whether it is the line of the urgent ones: an urgent dispatcher stands in two lines.
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

  /// Whether a dispatcher of which nothing goes on waits for a thread. Then the worker runs of others give their
  /// threads back at the end of their time slice.
  var isAwaited: Bool { waiting.load(ordering: .relaxed) > 0 }

  #if DEBUG
    /// How many dispatchers have been looked at in a line.
    var looks: Int { state.withLock { $0.looks } }
  #endif

  /// Calls the dispatchers for which a thread is free now. Under no lock.
  func callThoseInShort() {
    // A dispatcher that becomes short after this thread has given back its own has seen that thread as free.
    if short.load(ordering: .relaxed) == 0 { return }
    let releases = TaskContext.threadReleases
    TaskContext.threadReleases = true
    defer { TaskContext.threadReleases = releases }
    while let share = callOneThatMayStart() {
      state.withLock { _ in share.record.callers -= 1 }
    }
  }

  /// Calls one dispatcher, and releases what it was called by, which may have held that dispatcher last.
  ///
  /// - Returns: The share of that dispatcher; nil if there is none to call.
  private func callOneThatMayStart() -> PoolShare? {
    guard let (share, call) = findOneThatMayStart() else { return nil }
    call()
    // If it has not asked for a thread again, it needs none any more.
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
      // The thread is kept for the dispatcher until it has answered.
      share.record.isCalled = true
      share.record.callers += 1
      return (share, call)
    }
  }

  /// The first urgent dispatcher, if it was not called and may have the spare thread.
  private func firstUrgent(_ state: State) -> PoolShare? {
    guard !state.isSpareTaken, let share = state.urgent.first, !share.record.isCalled else {
      return nil
    }
    return share
  }

  /// The first dispatcher of which something goes on, that was not called, and that may start another run. All of
  /// those may, or none.
  private func firstBusy(_ state: inout State) -> PoolShare? {
    var next = state.busy.first
    // Other threads are calling these.
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

  /// A thread of a run of this dispatcher is blocked now, or goes on.
  ///
  /// - Returns: Whether nothing of the dispatcher goes on since then.
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

/// The share of one dispatcher in the pool.
final class PoolShare: Sendable {
  private let shares: PoolShares
  /// How many threads all dispatchers may have together, the spare one aside.
  private let capacity: Int
  /// Makes what lets the dispatcher look again whether it starts a run. That is called under no lock. It holds the
  /// dispatcher, which has a task for the pool, as a run would.
  fileprivate let makeCall: @Sendable () -> @Sendable () -> Void
  fileprivate let record = Record()

  fileprivate final class Record: @unchecked Sendable {
    // Touched under the lock of `shares`.
    var runs = 0
    /// Runs whose thread is blocked.
    var blockedRuns = 0
    var hasUsed = false
    /// What the dispatcher is called by, while it is short. Dropped only where other code holds the dispatcher.
    var call: (@Sendable () -> Void)?
    /// The dispatcher is short, and nothing of it goes on.
    var isWaiting = false
    /// The dispatcher was called, and has not answered.
    var isCalled = false
    /// Threads that call the dispatcher, and look for another one to call after that.
    var callers = 0
    /// No run of the dispatcher starts any more.
    var isOver = false
    /// Threads that are blocked in the dispatcher, or until a group is empty that it has members of.
    var blocked = 0
    /// One of the dispatcher's runs has the spare thread.
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

  /// Its neighbours in a line of dispatchers.
  fileprivate struct Neighbours {
    var previous: PoolShare?
    var next: PoolShare?
  }

  /// Which thread a run may have.
  fileprivate enum Thread { case any, spare }

  /// - Parameters:
  ///   - threads: How many threads the pool has. At least 1.
  ///   - makeCall: What this makes is called once a thread may be free. It may hold the dispatcher: it is released when
  ///     the dispatcher has its thread, or needs none any more.
  init(
    of shares: PoolShares, threads: Int,
    makeCall: @escaping @Sendable () -> @Sendable () -> Void
  ) {
    self.shares = shares
    capacity = max(1, threads - 1)
    self.makeCall = makeCall
  }

  /// Takes a thread for a run. False if none is free for it: then the dispatcher is short.
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

  /// Takes a thread for a second run. False if none is free for it: the dispatcher is not short because of that.
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
      // The dispatcher looks again whether it needs another thread.
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

  /// A thread begins to be blocked in the dispatcher, or until a group is empty that the dispatcher has members of.
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

  /// The thread of one of its runs begins to be blocked. ``endBlockedRun()`` ends that.
  ///
  /// - Returns: Whether the dispatcher may have another thread since then. Then ``callOthers()`` has to follow, under
  ///   no lock.
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

  /// Calls the dispatchers for which a thread is free: see ``PoolShares/callThoseInShort()``.
  func callOthers() { shares.callThoseInShort() }

  /// No run of the dispatcher starts any more: no thread is kept for it.
  func leave() {
    let isBeingCalled = shares.state.withLock { state in
      shares.leaveShort(self, &state)
      if record.hasUsed, record.runs == 0, !record.isOver { state.idle -= 1 }
      record.isOver = true
      return record.callers > 0
    }
    // A thread that calls this dispatcher looks for the next one after that. It may be this very thread, while it
    // releases what it has called. So the releases of many dispatchers do not pile up on its stack.
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

  /// The thread that the dispatcher may have for another run; nil for none.
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
