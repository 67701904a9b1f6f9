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
    /// Those that are short, in the order in which they became that.
    var short: [PoolShare] = []

    /// How many dispatchers that run nothing have a thread before `share` does.
    func waiting(before share: PoolShare) -> Int {
      let others = share.record.runs > 0 ? short[...] : short.prefix { $0 !== share }
      return others.count { $0.record.isWaiting }
    }
  }

  /// Whether a dispatcher waits for a thread that runs nothing. Then the others give one back at the end of
  /// their time slice.
  var isAwaited: Bool { waiting.load(ordering: .relaxed) > 0 }

  /// Calls the dispatchers for which a thread is free now. Under no lock.
  func callThoseInShort() {
    // One that becomes short after this thread has given back its own has seen that.
    if short.load(ordering: .relaxed) == 0 { return }
    while let share = findOneThatMayStart() {
      share.call()
      // It needs none any more.
      state.withLock { if share.record.isCalled { leaveShort(share, &$0) } }
    }
  }

  private func findOneThatMayStart() -> PoolShare? {
    state.withLock { state in
      let share = state.short.first { !$0.record.isCalled && $0.mayStart(state) }
      // Until then the thread is kept for it.
      share?.record.isCalled = true
      return share
    }
  }

  fileprivate func enterShort(_ share: PoolShare, _ state: inout State) {
    share.record.isCalled = false
    guard !share.record.isShort else { return }
    share.record.isShort = true
    share.record.isWaiting = share.record.runs == 0
    state.short.append(share)
    short.add(1, ordering: .relaxed)
    if share.record.isWaiting { waiting.add(1, ordering: .relaxed) }
  }

  fileprivate func leaveShort(_ share: PoolShare, _ state: inout State) {
    guard share.record.isShort else { return }
    share.record.isShort = false
    share.record.isCalled = false
    state.short.removeAll { $0 === share }
    short.subtract(1, ordering: .relaxed)
    if share.record.isWaiting { waiting.subtract(1, ordering: .relaxed) }
    share.record.isWaiting = false
  }
}

/// What one dispatcher has of the pool.
final class PoolShare: Sendable {
  private let shares: PoolShares
  /// How many threads the dispatchers may have together.
  private let capacity: Int
  /// Lets the dispatcher look again whether it starts a run. Under no lock.
  fileprivate let call: @Sendable () -> Void
  fileprivate let record = Record()

  fileprivate final class Record: @unchecked Sendable {
    // Touched under the lock of `shares`.
    var runs = 0
    var hasUsed = false
    var isShort = false
    /// It is short, and ran nothing when it became that.
    var isWaiting = false
    /// It was called, and has not answered.
    var isCalled = false
    var isOver = false
  }

  /// - Parameter threads: Of the pool.
  init(of shares: PoolShares, threads: Int, call: @escaping @Sendable () -> Void) {
    self.shares = shares
    capacity = max(1, threads - 1)
    self.call = call
  }

  /// Takes a thread for a run, if one is free for that. Else the dispatcher is short.
  ///
  /// - Parameter isUrgent: Threads are blocked in the dispatcher. Then one that runs nothing may have the thread
  ///   that is for libuv's other users: what those threads wait for might hold all others.
  func begin(isUrgent: Bool) -> Bool {
    shares.state.withLock { state in
      noteUse(&state)
      guard mayStart(state, isUrgent: isUrgent) else {
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
      guard mayStart(state) else { return false }
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

  fileprivate func mayStart(_ state: PoolShares.State, isUrgent: Bool = false) -> Bool {
    let left = capacity - state.runs - 1 - state.waiting(before: self)
    guard record.runs == 0 else { return left >= min(state.idle, capacity / 2) }
    return left >= (isUrgent ? -1 : 0)
  }
}
