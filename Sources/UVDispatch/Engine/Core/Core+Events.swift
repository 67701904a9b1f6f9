internal import TaskDispatch

extension Core {
  var awaitsEvents: Bool { !events.handlers.isEmpty }

  /// Adds a handler. `watch` begins to watch its signal or descriptor.
  ///
  /// - Throws: ``EventRefusal/shutDown`` once a shutdown has begun, and what `watch` throws. Then no handler is added.
  func register(
    _ name: String, label: String?, at site: CallSite,
    _ watch: (_ number: UInt64) throws(EventRefusal) -> EventHandler.Source
  ) throws(EventRefusal) -> EventHandler {
    if closing.hasBegun { throw .shutDown }
    let number = accounts.next()
    let source = try watch(number)
    let record = TaskRecord(
      id: TaskID(number), label: label ?? name, lane: .foreground,
      queue: Lane.foreground.description, site: site, parent: nil, enqueuedAt: instant)
    let handler = EventHandler(record, source)
    events.add(handler)
    // The loop's thread has to look at the set of descriptors.
    if handler.descriptor != nil { loop.want() }
    tell(.registered, handler.record)
    return handler
  }

  /// The set of all watched descriptors. The first call makes it.
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

  /// Throws ``EventRefusal/alreadyWatched(_:)`` if a handler waits for `descriptor`. If that handler's descriptor was
  /// closed, removes the handler instead: the number may be another file's by now.
  func requireUnwatched(_ descriptor: CInt) throws(EventRefusal) {
    guard let handler = events.watched[descriptor] else { return }
    if handler.waitAgain() { throw .alreadyWatched(descriptor) }
    remove(handler)
  }

  /// Removes a handler, and cancels the call of it that waits. What it captured is released once the lock is free.
  func remove(_ handler: EventHandler) {
    guard events.remove(handler) else { return }
    if let call = handler.call.take() { _ = cancel(call) }
    if let source = handler.remove() {
      callbacks.append { withExtendedLifetime(source) {} }
    }
    tell(.unregistered, handler.record)
  }

  func removeAllHandlers() {
    for handler in events.handlers.values.sorted(by: { $0.number < $1.number }) { remove(handler) }
  }

  /// The handlers that have something to tell and no call that waits: each needs a call. Once a shutdown has begun to
  /// cancel, only handlers of signals. Called by the loop's thread.
  ///
  /// - Parameter ready: What the loop's thread took from the set of descriptors.
  func comeEvents(_ ready: [(token: UInt64, readiness: Readiness)]) -> [EventHandler] {
    var come = events.ofSignals.filter { $0.takeDeliveries() }
    for (token, readiness) in ready {
      // The handler may have been removed since.
      if let handler = events.handlers[token], handler.take(readiness) { come.append(handler) }
    }
    return come.filter {
      $0.call == nil && closing.callsHandlers(ofSignals: $0.isOfSignal, at: now)
    }
  }

  /// Whether a shutdown that cancels what waits leaves `task` in its queue: the call for a signal.
  func outlivesDrain(_ task: QueuedTask) -> Bool {
    guard let item = task.item, item.kind == .event,
      closing.callsHandlers(ofSignals: true, at: now)
    else { return false }
    return events.ofSignals.contains { $0.call === item }
  }

  /// The call of a handler begins. Returns what it has to tell; nil if the handler was removed.
  func serve(_ handler: EventHandler) -> (EventHandler.Source, EventHandler.News)? {
    guard let source = handler.source else { return nil }
    let news = handler.news
    handler.news = EventHandler.News()
    handler.served = handler.call
    handler.call = nil
    return (source, news)
  }

  /// The call of a handler has ended: watches its descriptor again, which may be ready again, or still. Removes the
  /// handler if the descriptor was closed.
  func waitAgain(_ handler: EventHandler) {
    handler.served = nil
    if handler.source != nil, !handler.waitAgain() { remove(handler) }
  }
}
