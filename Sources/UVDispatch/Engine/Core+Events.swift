internal import TaskDispatch

extension Core {
  /// The handlers of signals and descriptors.
  struct Events {
    var handlers: [UInt64: EventHandler] = [:]
    /// Handlers of descriptors, by descriptor.
    var watched: [CInt: EventHandler] = [:]
    /// Handlers of signals, in the order of registration.
    var ofSignals: [EventHandler] = []
    /// The set of all watched descriptors; made with the first.
    var readySet: ReadySet?
  }

  var awaitsEvents: Bool { !events.handlers.isEmpty }

  /// Adds a handler. `watch` begins to watch its signal or descriptor.
  ///
  /// - Throws: ``EventRefusal/shutDown`` once a shutdown has begun, and what `watch` throws. Then no handler is added.
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
      // The loop's thread has to look at the set of descriptors.
      loop.isWanted = true
    } else {
      events.ofSignals.append(handler)
    }
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
    let tellsAll = shutdown == nil || shutdown?.phase == .draining
    return come.filter { $0.call == nil && (tellsAll || $0.isOfSignal && tellsSignals) }
  }

  /// Whether handlers of signals are called. A second signal may ask for an end at once. So they are called also
  /// while a shutdown cancels, until it gives up what still runs.
  private var tellsSignals: Bool {
    guard let shutdown else { return true }
    return shutdown.phase != .over && now < shutdown.cancelUntil
  }

  /// Whether a shutdown that cancels what waits leaves `task` in its queue: the call for a signal.
  func outlivesDrain(_ task: QueuedTask) -> Bool {
    guard let item = task.item, item.kind == .event, tellsSignals else { return false }
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
