internal import Synchronization
internal import TaskDispatch

/// How the dispatchers of a process share the threads of libuv's pool (rule 12).
///
/// A worker run starts only if after that one thread is left for libuv's other users, and one for each other
/// dispatcher that has used its background and runs nothing there; but half of the threads are not kept for
/// those, or many dispatchers that are idle would leave one thread to the one that is busy. A dispatcher that
/// may not start a run is *short*: when a thread is free for it, it is called. Of those that run nothing, the first
/// that became short has the first thread: one that has just given back its own comes after them.
///
/// Its lock is taken under that of a dispatcher. It calls none while it holds it.
final class PoolShares: Sendable {
  static let ofProcess = PoolShares()

  fileprivate let state = Locked(State())
  /// How many dispatchers are short, and how many of them run nothing. Changed under the lock.
  private let short = Atomic(0)
  private let waiting = Atomic(0)

  fileprivate struct State {
    /// Worker runs of all dispatchers.
    var runs = 0
    /// Dispatchers that have used their background, and run nothing there.
    var idle = 0
    /// Those that are short: that ran nothing when they became that, and the others.
    var waiting = Line()
    var busy = Line()
    #if DEBUG
      var looks = 0
    #endif

    /// The first that waits and `isMeant`, of as many as there are threads for.
    mutating func firstWaiting(
      isUrgent: Bool = false, where isMeant: (PoolShare) -> Bool
    ) -> PoolShare? {
      var (next, before) = (waiting.first, 0)
      while let share = next, before < share.threadsLeft(self, isUrgent: isUrgent) {
        #if DEBUG
          looks += 1
        #endif
        if isMeant(share) { return share }
        (next, before) = (share.record.next, before + 1)
      }
      return nil
    }
  }

  /// Dispatchers in the order in which they came. Each change takes the same time, however many there are.
  fileprivate struct Line {
    private(set) var first: PoolShare?
    private var last: PoolShare?
    private(set) var count = 0

    mutating func append(_ share: PoolShare) {
      share.record.previous = last
      if let last { last.record.next = share } else { first = share }
      last = share
      count += 1
    }

    mutating func remove(_ share: PoolShare) {
      let (previous, next) = (share.record.previous, share.record.next)
      if let previous { previous.record.next = next } else { first = next }
      if let next { next.record.previous = previous } else { last = previous }
      (share.record.previous, share.record.next) = (nil, nil)
      count -= 1
    }
  }

  /// Whether a dispatcher waits for a thread that runs nothing. Then the others give one back at the end of
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
    while let (share, call) = findOneThatMayStart() {
      call()
      // It needs none any more.
      state.withLock { if share.record.isCalled { leaveShort(share, &$0) } }
      // Here `call` may be the last that holds the dispatcher.
    }
  }

  private func findOneThatMayStart() -> (PoolShare, call: @Sendable () -> Void)? {
    state.withLock { state in
      guard
        let share = state.firstWaiting(where: { !$0.record.isCalled }) ?? firstBusy(&state),
        let call = share.record.call
      else { return nil }
      // Until it has answered the thread is kept for it.
      share.record.isCalled = true
      return (share, call)
    }
  }

  /// The first that runs something, was not called, and may start another run. All of them may, or none.
  private func firstBusy(_ state: inout State) -> PoolShare? {
    var next = state.busy.first
    // Others are calling these.
    while let share = next, share.record.isCalled { next = share.record.next }
    guard let share = next, share.mayStart(&state) else { return nil }
    return share
  }

  fileprivate func enterShort(_ share: PoolShare, _ state: inout State) {
    share.record.isCalled = false
    guard !share.record.isShort else { return }
    share.record.call = share.makeCall()
    share.record.isWaiting = share.record.runs == 0
    short.add(1, ordering: .relaxed)
    if share.record.isWaiting {
      state.waiting.append(share)
      waiting.add(1, ordering: .relaxed)
    } else {
      state.busy.append(share)
    }
  }

  fileprivate func leaveShort(_ share: PoolShare, _ state: inout State) {
    guard share.record.isShort else { return }
    share.record.isCalled = false
    share.record.call = nil
    short.subtract(1, ordering: .relaxed)
    if share.record.isWaiting {
      state.waiting.remove(share)
      waiting.subtract(1, ordering: .relaxed)
    } else {
      state.busy.remove(share)
    }
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
    var hasUsed = false
    /// What the dispatcher is called by, while it is short. Dropped where the dispatcher is held elsewhere.
    var call: (@Sendable () -> Void)?
    /// It is short, and ran nothing when it became that.
    var isWaiting = false
    /// It was called, and has not answered.
    var isCalled = false
    var isOver = false
    // Its neighbours, while it is short.
    var previous: PoolShare?
    var next: PoolShare?

    var isShort: Bool { call != nil }
  }

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
  ///
  /// - Parameter isUrgent: Threads are blocked in the dispatcher. Then one that runs nothing may have the thread
  ///   that is for libuv's other users: what those threads wait for might hold all others.
  func begin(isUrgent: Bool) -> Bool {
    shares.state.withLock { state in
      noteUse(&state)
      guard mayStart(&state, isUrgent: isUrgent) else {
        shares.enterShort(self, &state)
        return false
      }
      shares.leaveShort(self, &state)
      take(&state)
      return true
    }
  }

  /// As the other, for a second run, without which the dispatcher is not short.
  func beginAnother() -> Bool {
    shares.state.withLock { state in
      guard mayStart(&state) else { return false }
      take(&state)
      return true
    }
  }

  /// Gives back the thread of a run. ``PoolShares/callThoseInShort()`` has to follow, under no lock.
  func end() {
    shares.state.withLock { state in
      // It looks again whether it needs another one.
      shares.leaveShort(self, &state)
      state.runs -= 1
      record.runs -= 1
      if record.runs == 0, !record.isOver { state.idle += 1 }
    }
  }

  /// No run of the dispatcher starts any more: no thread is kept for it.
  func leave() {
    shares.state.withLock { state in
      shares.leaveShort(self, &state)
      if record.hasUsed, record.runs == 0, !record.isOver { state.idle -= 1 }
      record.isOver = true
    }
    shares.callThoseInShort()
  }

  private func noteUse(_ state: inout PoolShares.State) {
    if record.hasUsed { return }
    record.hasUsed = true
    if !record.isOver { state.idle += 1 }
  }

  private func take(_ state: inout PoolShares.State) {
    if record.runs == 0, !record.isOver { state.idle -= 1 }
    record.runs += 1
    state.runs += 1
  }

  fileprivate func mayStart(_ state: inout PoolShares.State, isUrgent: Bool = false) -> Bool {
    let left = threadsLeft(state, isUrgent: isUrgent) - state.waiting.count
    guard record.runs == 0 else { return left > min(state.idle, capacity / 2) }
    if !record.isWaiting { return left > 0 }
    return state.firstWaiting(isUrgent: isUrgent) { $0 === self } != nil
  }

  /// How many threads are free for the first runs of dispatchers.
  fileprivate func threadsLeft(_ state: PoolShares.State, isUrgent: Bool) -> Int {
    capacity - state.runs + (isUrgent && record.runs == 0 ? 1 : 0)
  }
}
