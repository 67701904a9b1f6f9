internal import TaskDispatch

/// Somebody who waits for a signal or for a descriptor. What changes is touched under the
/// dispatcher's lock.
final class EventHandler: @unchecked Sendable {
  enum Source {
    case signal(SignalWatch, perform: @Sendable (_ deliveries: Int) -> Void)
    case descriptor(CInt, Readiness, ReadySet, perform: @Sendable (_ ready: Readiness) -> Void)
  }

  /// What there is to be told.
  struct News {
    var deliveries = 0
    var readiness: Readiness = []
  }

  /// Stands for the registration where events are told of. Its calls have the same label.
  let record: TaskRecord
  /// Nil once it was removed.
  private(set) var source: Source?
  /// What is told in the call that waits for the foreground: what comes before its start joins it.
  var news = News()
  var call: WorkItem?
  /// The call whose body runs.
  var served: WorkItem?
  /// What the caller of `onSignal` or `onReady` holds, which need not hold it any more.
  weak var registration: Registration?
  /// A call has cancelled the registration, perhaps before the thread that registers it has made that.
  var cancelsItself = false

  init(_ record: TaskRecord, _ source: Source) {
    self.record = record
    self.source = source
  }

  var number: UInt64 { record.id.number }

  var descriptor: CInt? {
    if case .descriptor(let descriptor, _, _, _) = source { descriptor } else { nil }
  }

  var isOfSignal: Bool { if case .signal = source { true } else { false } }

  /// Whether signals have come, which it adds to what it has to tell.
  func takeDeliveries() -> Bool {
    guard case .signal(let watch, _) = source else { return false }
    let deliveries = watch.takeDeliveries()
    news.deliveries += deliveries
    return deliveries > 0
  }

  /// Whether its descriptor is ready for what it waits for, which it adds to what it has to tell.
  func take(_ readiness: Readiness) -> Bool {
    guard case .descriptor(_, let interest, _, _) = source else { return false }
    news.readiness.formUnion(readiness.intersection(interest))
    return true
  }

  /// Lets the descriptor, if it waits for one, be ready once more. False if that was closed.
  func waitAgain() -> Bool {
    guard case .descriptor(let descriptor, let interest, let set, _) = source else { return true }
    return set.waitAgain(descriptor, for: interest, token: number)
  }

  /// Takes it away from the signal or the descriptor, and hands over what it held: to be let go of
  /// without the lock, since that may run anybody's `deinit`.
  func remove() -> Source? {
    switch source {
    case .signal(let watch, _): watch.end()
    case .descriptor(let descriptor, _, let set, _): set.remove(descriptor)
    case nil: break
    }
    return source.take()
  }
}
