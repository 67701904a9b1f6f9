internal import TaskDispatch

/// A handler of a signal or of a descriptor. What changes is touched under the dispatcher's lock.
final class EventHandler: @unchecked Sendable {
  enum Source {
    case signal(SignalWatch, perform: @Sendable (_ deliveries: Int) -> Void)
    case descriptor(CInt, Readiness, ReadySet, perform: @Sendable (_ ready: Readiness) -> Void)
  }

  /// What the next call has to tell.
  struct News {
    var deliveries = 0
    var readiness: Readiness = []
  }

  /// Represents the registration in observed events. The handler's calls have the same label.
  let record: TaskRecord
  /// Nil once it was removed.
  private(set) var source: Source?
  /// What the waiting call has to tell. Events that come before the call starts join it.
  var news = News()
  /// The call that waits in the foreground.
  var call: WorkItem?
  /// The call whose body runs.
  var served: WorkItem?
  /// What `onSignal` or `onReady` has returned. The calling code need not keep it.
  weak var registration: Registration?
  /// A call has cancelled the registration, perhaps before the thread that registers it has made the
  /// ``Registration``.
  var cancelsItself = false

  init(_ record: TaskRecord, _ source: Source) {
    self.record = record
    self.source = source
  }

  var number: UInt64 { record.id.number }

  /// What it waits for; nil once it was removed.
  var event: SnapshotFacts.Event? {
    switch source {
    case .signal(let watch, _): .signal(watch.signal)
    case .descriptor(let descriptor, let interest, _, _): .descriptor(descriptor, interest)
    case nil: nil
    }
  }

  var descriptor: CInt? {
    if case .descriptor(let descriptor, _, _, _) = source { descriptor } else { nil }
  }

  var isOfSignal: Bool { if case .signal = source { true } else { false } }

  /// Adds the signals that have come to what the handler has to tell. False if none have come.
  func takeDeliveries() -> Bool {
    guard case .signal(let watch, _) = source else { return false }
    let deliveries = watch.takeDeliveries()
    news.deliveries += deliveries
    return deliveries > 0
  }

  /// Adds `readiness`, as far as the handler waits for it, to what it has to tell. False if it has no descriptor.
  func take(_ readiness: Readiness) -> Bool {
    guard case .descriptor(_, let interest, _, _) = source else { return false }
    news.readiness.formUnion(readiness.intersection(interest))
    return true
  }

  /// Watches the descriptor, if there is one, for being ready once more. False if the descriptor was closed.
  func waitAgain() -> Bool {
    guard case .descriptor(let descriptor, let interest, let set, _) = source else { return true }
    return set.waitAgain(descriptor, for: interest, token: number)
  }

  /// Stops watching the signal or the descriptor, and returns what the handler captured. The caller releases that
  /// without the lock, since it may run a `deinit` of user code.
  func remove() -> Source? {
    switch source {
    case .signal(let watch, _): watch.end()
    case .descriptor(let descriptor, _, let set, _): set.remove(descriptor)
    case nil: break
    }
    return source.take()
  }
}
