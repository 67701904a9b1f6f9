internal import TaskDispatch

/// Code of the program that is told what happens: the observer, and the receivers of stalls with the watch that finds
/// these. A value under the dispatcher's lock.
struct Observation {
  /// Nil without an observer. It stays the same until the dispatcher ends.
  private(set) var observer: (any TaskObserver)?
  let isOn: Bool
  private(set) var stallReceivers: [StallReceiver] = []
  var stalls: StallWatch

  init(_ observer: (any TaskObserver)?, _ stalls: StallWatch) {
    self.stalls = stalls
    self.observer = observer
    isOn = observer != nil
  }

  mutating func add(_ receiver: StallReceiver) { stallReceivers.append(receiver) }

  mutating func remove(_ receiver: StallReceiver) { stallReceivers.removeAll { $0 === receiver } }

  /// Takes out everything, at the end of the dispatcher.
  mutating func takeAll() -> [AnyObject] {
    defer {
      observer = nil
      stallReceivers = []
    }
    return stallReceivers + (observer.map { [$0 as AnyObject] } ?? [])
  }
}
