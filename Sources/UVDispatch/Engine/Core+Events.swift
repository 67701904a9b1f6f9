internal import TaskDispatch

extension Core {
  /// Who waits for what comes from outside.
  struct Events {
    var handlers: [UInt64: EventHandler] = [:]
    /// By their descriptor.
    var watched: [CInt: EventHandler] = [:]
    /// In the order of registration.
    var ofSignals: [EventHandler] = []
    /// Of all descriptors; made with the first.
    var readySet: ReadySet?
  }

  var awaitsEvents: Bool { !events.handlers.isEmpty }

  /// Adds a handler whose signal or descriptor is watched from within `watch`.
  func register(
    _ name: String, label: String?, at site: CallSite,
    _ watch: (_ number: UInt64) throws(EventRefusal) -> EventHandler.Source
  ) throws(EventRefusal) -> EventHandler {
    if shutdown != nil { throw .shutDown }
    let number = lastID + 1
    let source = try watch(number)
    lastID = number
    let record = TaskRecord(
      id: TaskID(number), label: label ?? name, lane: .foreground,
      queue: Lane.foreground.description, site: site, parent: nil, enqueuedAt: instant)
    let handler = EventHandler(record, source)
    events.handlers[number] = handler
    if let descriptor = handler.descriptor {
      events.watched[descriptor] = handler
      // The loop has to look at the set of all of them.
      loop.isWanted = true
    } else {
      events.ofSignals.append(handler)
    }
    tell(.registered, handler.record)
    return handler
  }

  /// The set of all descriptors.
  func readySet() throws(EventRefusal) -> ReadySet {
    if let set = events.readySet { return set }
    do throws(UVError) {
      let set = try ReadySet()
      events.readySet = set
      return set
    } catch {
      throw .system(error.description)
    }
  }

  /// Throws if somebody waits for `descriptor`. One that was closed meanwhile nobody waits for, even
  /// if it is another's number by now.
  func requireUnwatched(_ descriptor: CInt) throws(EventRefusal) {
    guard let handler = events.watched[descriptor] else { return }
    if handler.waitAgain() { throw .alreadyWatched(descriptor) }
    remove(handler)
  }

  func remove(_ handler: EventHandler) {
    guard events.handlers.removeValue(forKey: handler.number) != nil else { return }
    if let descriptor = handler.descriptor {
      events.watched[descriptor] = nil
    } else {
      events.ofSignals.removeAll { $0 === handler }
    }
    if let call = handler.call.take() { _ = cancel(call) }
    if let source = handler.remove() {
      outbox.append { withExtendedLifetime(source) {} }
    }
    tell(.unregistered, handler.record)
  }

  func removeAllHandlers() {
    for handler in events.handlers.values.sorted(by: { $0.number < $1.number }) { remove(handler) }
  }

  /// Those who have something to be told, and no call that waits: each needs one. Once a shutdown has
  /// begun to cancel, those of signals alone. The loop's business.
  ///
  /// - Parameter ready: What was taken from the set of descriptors.
  func comeEvents(_ ready: [(token: UInt64, readiness: Readiness)]) -> [EventHandler] {
    var come = events.ofSignals.filter { $0.takeDeliveries() }
    for (token, readiness) in ready {
      // One that was removed since may have been among them.
      if let handler = events.handlers[token], handler.take(readiness) { come.append(handler) }
    }
    let tellsAll = shutdown == nil || shutdown?.phase == .draining
    return come.filter { $0.call == nil && (tellsAll || $0.isOfSignal && tellsSignals) }
  }

  /// Whether signals are told of. A second one may ask for an end at once, so also while a shutdown
  /// cancels, until what still runs is given up.
  private var tellsSignals: Bool {
    guard let shutdown else { return true }
    return shutdown.phase != .over && now < shutdown.cancelUntil
  }

  /// Whether a shutdown that cancels what waits leaves `task` in its queue: the call for a signal.
  func outlivesDrain(_ task: QueuedTask) -> Bool {
    guard let item = task.item, item.kind == .event, tellsSignals else { return false }
    return events.ofSignals.contains { $0.call === item }
  }

  /// A call begins: what is told in it. Nil if the handler was removed.
  func serve(_ handler: EventHandler) -> (EventHandler.Source, EventHandler.News)? {
    guard let source = handler.source else { return nil }
    let news = handler.news
    handler.news = EventHandler.News()
    handler.served = handler.call
    handler.call = nil
    return (source, news)
  }

  /// A call has ended: a descriptor may be ready again, or still.
  func waitAgain(_ handler: EventHandler) {
    handler.served = nil
    if handler.source != nil, !handler.waitAgain() { remove(handler) }
  }
}
