/// The ready tokens of a view: see ``PoolOrder``.
extension ViewQueue {
  /// How many tasks of each band workers may start now: the view holds ready tokens for them.
  ///
  /// This changes nothing. It is `mutating` because otherwise Swift 6.3.1 copies the view to look at each
  /// band.
  ///
  /// - Complexity: O(bands).
  @inlinable package mutating func wantedTokens(now: () -> Int64) -> InlineArray<4, Int> {
    var wanted = InlineArray<4, Int>(repeating: 0)
    var left = workerRoom
    guard left > 0, callersWaiting == 0 || !callerIsNext(now: now) else { return wanted }
    if ready.startableBands == 0 {
      if running == 0, let band = nextBarrierBand { wanted[band.index] = 1 }
      return wanted
    }
    for index in 0..<4 where left > 0 {
      wanted[index] = min(left, ready.startable[index])
      left -= wanted[index]
    }
    return wanted
  }

  /// Whether one more entry in `band`, which is no barrier, surely does not change the tokens that the view
  /// wants. That is so if it holds a token for each task that a worker may start, and none of them would go
  /// to a lower band.
  @inlinable @inline(__always) func keepsTokens(withOneMoreIn band: PriorityBand) -> Bool {
    guard callersWaiting == 0, heldTokens.count == workerRoom else { return false }
    return heldTokens.isEmpty || heldTokenCounts[band.index] == heldTokens.count
  }

  /// False if the view surely holds no ready tokens, wants none, and has no caller of `sync` to admit. That
  /// is so if nothing of it waits, or if no worker may start a task of it, because it is full or suspended.
  @inlinable @inline(__always) var mustLookAtTokens: Bool {
    callersWaiting > 0 || !heldTokens.isEmpty || !ready.isEmpty && workerRoom > 0
  }

  /// The band of the next barrier, if nothing stands before it.
  ///
  /// Never inlined, nor is ``callerIsNext(now:)``. Swift copies what waits for this call although it changes
  /// nothing; inlined, it would make the copy before it is known whether the call is needed.
  @inlinable @inline(never) var nextBarrierBand: PriorityBand? { ready.nextBarrierBand }

  /// How many ready tokens the view wants in each band beyond those that it holds; negative if it wants
  /// fewer. Nil if it holds what it wants, which is the most frequent case.
  @inlinable mutating func missingTokens(now: () -> Int64) -> InlineArray<4, Int>? {
    var missing = wantedTokens(now: now)
    var isMissing = false
    for index in 0..<4 {
      missing[index] -= heldTokenCounts[index]
      if missing[index] != 0 { isMissing = true }
    }
    return isMissing ? missing : nil
  }

  /// A number for a new ready token that no other token of this view has.
  @inlinable mutating func takeTokenSerial() -> Int {
    defer { nextToken += 1 }
    return nextToken
  }

  @inlinable mutating func add(_ token: HeldToken) {
    heldTokens.append(token)
    heldTokenCounts[token.band.index] += 1
  }

  /// Gives up the newest token of `band`, of which there must be one.
  @inlinable mutating func dropNewestToken(in band: PriorityBand) -> HeldToken {
    heldTokenCounts[band.index] -= 1
    return heldTokens.remove(at: heldTokens.lastIndex { $0.band == band }!)
  }

  /// Gives up the token of that number.
  ///
  /// - Returns: Whether the view holds other tokens.
  @inlinable mutating func dropToken(_ serial: Int) -> Bool {
    let token = heldTokens.remove(at: heldTokens.firstIndex { $0.serial == serial }!)
    heldTokenCounts[token.band.index] -= 1
    return !heldTokens.isEmpty
  }

  @inlinable mutating func tokenHasMoved(_ serial: Int, to position: Int) {
    // Every token in the pool's order is held by its view.
    heldTokens[heldTokens.firstIndex { $0.serial == serial }!].position = position
  }
}
