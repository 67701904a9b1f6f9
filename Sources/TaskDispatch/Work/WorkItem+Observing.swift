internal import Synchronization

/// What is told of the end of an item, and what is noted for that.
extension WorkItem {
  // MARK: Watching

  /// Calls `observer` once with the outcome. If the item has ended, that is now; else later, on the thread
  /// that ends it.
  public func whenFinished(_ observer: @escaping @Sendable (Outcome) -> Void) {
    watch(Phase.isObserved, ItemLock.Observer(isAwaiter: false, call: observer))
  }

  /// Calls `resume` once with the outcome, before any observer of the batch in which the item ends. If the
  /// item has ended, that is now.
  ///
  /// - Parameter resume: Resumes a Task. That calls the Task's executor, which may be user code.
  func resumeWhenFinished(_ resume: @escaping @Sendable (Outcome) -> Void) {
    watch(Phase.hasAwaiters, ItemLock.Observer(isAwaiter: true, call: resume))
  }

  private func watch(_ bit: UInt16, _ observer: ItemLock.Observer) {
    let hasFinished = ItemLock.withLock(of: self) { observers in
      // A thread that ends the item after this sees the bit, and waits at this lock until the observer is
      // stored.
      let before = state.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue
      if before & Phase.all == Phase.finished { return true }
      observers[ObjectIdentifier(self), default: []].append(observer)
      return false
    }
    if hasFinished, let outcome { observer.call(outcome) }
  }

  /// Notes that a thread of the item's dispatcher is blocked until the item has ended, which may be now. What
  /// ``setOutcome(_:)`` returns tells that dispatcher. Under the dispatcher's lock.
  package func noteAwaited() { state.bitwiseOr(Phase.isAwaited, ordering: .relaxed) }

  package var failureIsSeen: Bool { state.load(ordering: .relaxed) & Phase.failureIsSeen != 0 }

  /// Notes that some code has received the failure of this item, so that the fake need not report it.
  package func noteFailureSeen() { state.bitwiseOr(Phase.failureIsSeen, ordering: .relaxed) }

  /// Notes that the submission has returned. Another thread may have wanted to cancel the item before, by
  /// ``noteUnwanted()``.
  ///
  /// - Returns: Whether another thread did. Then the calling thread must cancel the item.
  package func noteSubmitted() -> Bool {
    let before = state.bitwiseOr(Phase.isSubmitted, ordering: .acquiringAndReleasing).oldValue
    return before & Phase.isUnwanted != 0
  }

  /// Asks the submitting thread to cancel the item once the submission has returned.
  ///
  /// - Returns: Whether the submission has returned already. Then the calling thread must cancel the item.
  package func noteUnwanted() -> Bool {
    let before = state.bitwiseOr(Phase.isUnwanted, ordering: .acquiringAndReleasing).oldValue
    return before & Phase.isSubmitted != 0
  }

  // MARK: Telling

  /// Wakes the threads that wait for a group that the item has emptied. Calls no user code.
  ///
  /// Once, under no lock. For a whole batch it comes before the first ``resume(_:_:)``, which calls user code
  /// that may take its time.
  package final func wakeThreads(_ telling: borrowing Telling) { telling.group?.wakeThreads() }

  /// Resumes the Tasks that wait for the item. Also resumes the Tasks, and submits the notifications, that
  /// wait for a group that the item has emptied. Calls user code: the executors of those Tasks, and
  /// observers.
  ///
  /// Once, under no lock. For a whole batch it comes before the first ``tell(_:_:)``.
  ///
  /// - Parameter outcome: The outcome of the item.
  package final func resume(_ outcome: Outcome, _ telling: borrowing Telling) {
    telling.group?.resume()
    if telling.hasAwaiters {
      for awaiter in takeObservers(areAwaiters: true) { awaiter.call(outcome) }
    }
  }

  /// Releases a body that never ran, and calls observers: the last part of ``finish(_:)``. Once, under no
  /// lock.
  ///
  /// - Parameter outcome: The outcome of the item.
  package final func tell(_ outcome: Outcome, _ telling: consuming Telling) {
    if telling.holdsBody { releaseUnrun() }
    if telling.isObserved {
      for observer in takeObservers(areAwaiters: false) { observer.call(outcome) }
    }
    telling.group?.callObservers()
  }

  /// A table of observers whose items share a lock keeps its memory up to this size when it becomes empty.
  package static var fewObservers: Int { 64 }

  private func takeObservers(areAwaiters: Bool) -> [ItemLock.Observer] {
    ItemLock.withLock(of: self) { observers in
      defer { if observers.isEmpty, observers.capacity > Self.fewObservers { observers = [:] } }
      guard let all = observers.removeValue(forKey: ObjectIdentifier(self)) else { return [] }
      let others = all.filter { $0.isAwaiter != areAwaiters }
      if others.isEmpty { return all }
      observers[ObjectIdentifier(self)] = others
      return all.filter { $0.isAwaiter == areAwaiters }
    }
  }
}
