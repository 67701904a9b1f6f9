import Oracle
import TaskDispatch

extension Tangle {
  /// The deeds that code draws from, each as often as its weight says.
  static func deck(without left: Set<Deed.Family>) -> [Deed] {
    Deed.allCases.filter { $0.families.isDisjoint(with: left) }
      .flatMap { [Deed](repeating: $0, count: $0.weight) }
  }

  /// Performs some deeds in whatever place the calling thread is.
  ///
  /// - Parameters:
  ///   - generation: How many pieces of code have led to this one. Later generations do less.
  ///   - most: How many deeds it performs at most.
  func act(_ seed: UInt64, generation: Int, most: Int = 3) {
    let stand = ThreadRecorder.current.stand
    guard stand.role != .silent, stand.depth <= 7 else { return }
    fulfilWish()
    var dice = Dice(seed: seed)
    // Each generation does less, so that what one piece of code leads to comes to an end.
    let count = generation > 5 ? 0 : dice.roll(most + 1) * 2 / (1 + generation)
    for _ in 0..<count {
      let deed = deck[dice.roll(deck.count)]
      if deed.submits, live.value > 300 || isEnding.isRaised { continue }
      perform(deed, &dice, generation)
    }
  }

  /// Begins the shutdown, if one is wished and no other code has begun it.
  func fulfilWish() {
    let wish = shutdownWish.withLock { wish -> (@Sendable () -> Void)? in
      defer { wish = nil }
      return wish
    }
    wish?()
  }

  /// Whether the calling thread must not wait without an end, because other threads depend on it in
  /// ways that no dispatcher can know.
  private var mustComeBack: Bool {
    let stand = ThreadRecorder.current.stand
    if stand.isUnderRuntimeLock { return true }
    let kinds = stand.places.map(\.kind)
    if kinds.contains(.cancellation) { return true }
    if leavesOut(.observerWaits), kinds.contains(.observer) { return true }
    return stand.role == .janitor && janitors.areShort
  }

  private func perform(_ deed: Deed, _ dice: inout Dice, _ generation: Int) {
    switch deed {
    case .spin: spin(microseconds: 10 + dice.roll(dice.once(in: 8) ? 490 : 60))
    case .plain: post(&dice, generation)
    case .banded: post(&dice, generation, band: dice.roll(4))
    case .barrier: post(&dice, generation, isBarrier: true)
    case .grouped: post(&dice, generation, group: takeGroup(&dice))
    case .handled: submit(&dice, generation)
    case .asked: ask(&dice, generation)
    case .later: later(&dice, generation)
    case .repeating: again(&dice, generation)
    case .wait: if !mustComeBack { waitForHandle(&dice, nil) }
    case .waitBriefly: waitForHandle(&dice, .microseconds(dice.roll(3_000)))
    case .waitForGroup: if !mustComeBack { waitForGroup(&dice, nil) }
    case .waitForGroupBriefly: waitForGroup(&dice, .microseconds(dice.roll(3_000)))
    case .sync: if !mustComeBack { sync(&dice, generation) }
    case .cancel: cancel(&dice)
    case .suspend: suspend(&dice)
    case .enter: enter(&dice)
    case .whenEmpty: whenEmpty(&dice, generation)
    case .notify: notify(&dice, generation)
    case .listen: listen(&dice, generation)
    case .value: awaitValue(&dice, generation)
    case .job: startJob(&dice, generation)
    case .run: run(&dice, generation, isCancelled: false)
    case .cancelRun: run(&dice, generation, isCancelled: true)
    case .idle: awaitQuiet(&dice, generation)
    case .watch: watch(&dice, generation)
    case .light: light(&dice)
    case .letGo: letGoOfHandle(&dice)
    case .hold:
      // This keeps a thread for up to two seconds, and other code may need that thread: so seldom, and
      // only in callbacks.
      guard ThreadRecorder.current.stand.top?.kind.isCallback == true, dice.once(in: 12),
        !isEnding.isRaised,
        !isOver.isRaised
      else { return }
      hold.keep(seconds: 2)
    }
  }

  private func spin(microseconds: Int) {
    let end = now() + Int64(microseconds) * 1_000
    while !isInSteps, now() < end, !isEnding.isRaised {}
  }

  private func letGoOfHandle(_ dice: inout Dice) {
    let number = dice.roll(1 << 20)
    call("letting go of a handle") { _ = shelf.put(nil, at: number) }
  }
}
