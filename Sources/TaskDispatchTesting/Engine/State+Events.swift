internal import TaskDispatch

/// A handler that the fake keeps for a signal or a descriptor.
struct EventRegistration {
  enum Source: Hashable {
    case signal(Signal)
    case descriptor(CInt)

    func name(_ interest: Readiness) -> String {
      switch self {
      case .signal(let signal): "\(signal)"
      case .descriptor(let descriptor): "descriptor \(descriptor) (\(interest))"
      }
    }
  }

  /// A weak reference to the `Registration` that `onSignal` or `onReady` returned: its caller may have released it.
  final class Handed {
    weak var registration: Registration?
  }

  let number: UInt64
  let handed = Handed()
  /// Stands for the registration in the history.
  let entry: Entry
  let source: Source
  let interest: Readiness
  let label: String?
  let perform: @Sendable (PendingEvent) -> Void
  /// The delivery that waits for the foreground. Later deliveries join it.
  var pending: PendingEvent?

  var name: String { source.name(interest) }

  var isOfSignal: Bool { if case .signal = source { true } else { false } }
}

extension State {
  mutating func register(
    _ source: EventRegistration.Source, _ interest: Readiness, label: String?, at site: CallSite,
    perform: @escaping @Sendable (PendingEvent) -> Void
  ) throws(EventRefusal) -> UInt64 {
    if shutdown != nil || isFinished { throw .shutDown }
    if configuration.policy == .unimplemented { noteUnexpectedUse(site) }
    if case .descriptor(let descriptor) = source {
      guard descriptor >= 0 else { throw .notOpen(descriptor) }
      guard !interest.isEmpty else { throw .nothingToWatchFor(descriptor) }
      guard !registrations.contains(where: { $0.source == source }) else {
        throw .alreadyWatched(descriptor)
      }
    }
    if case .signal(let signal) = source, let refusal = signal.refusal { throw refusal }
    let entry = makeEntry(
      .registration(label ?? source.name(interest)), on: .foreground, nil, at: site, parent: nil)
    registrations.append(
      EventRegistration(
        number: entry.id, entry: entry, source: source, interest: interest, label: label,
        perform: perform))
    emit(.registered, entry)
    return entry.id
  }

  mutating func unregister(_ number: UInt64) {
    decisions?.reduction?.touchesEverything()
    guard let index = registrations.firstIndex(where: { $0.number == number }) else { return }
    let registration = registrations.remove(at: index)
    // After the lock is released: the handler's release may run a `deinit` of user code.
    later { [perform = registration.perform] in withExtendedLifetime(perform) {} }
    emit(.unregistered, registration.entry)
    guard let pending = registration.pending,
      let entry = foreground.due.remove(at: pending.position, in: .medium)
    else { return }
    endUnstarted(entry, .cancelled)
  }

  /// Delivers an event to every registration that matches. Once a shutdown has begun to cancel, only handlers of
  /// signals are called. Returns false if no registration matches.
  mutating func deliver(
    _ source: EventRegistration.Source, _ readiness: Readiness
  ) -> Bool {
    var found = false
    for index in registrations.indices where registrations[index].source == source {
      let relevant = registrations[index].interest.intersection(readiness)
      if case .descriptor = source, relevant.isEmpty { continue }
      found = true
      guard tells(source) else { continue }
      if let pending = registrations[index].pending {
        // Signals of one burst are one call, with a count. Readiness is a level.
        pending.deliveries += 1
        pending.readiness.formUnion(relevant)
        continue
      }
      let registration = registrations[index]
      let event = PendingEvent(
        number: registration.number, name: registration.label ?? registration.name,
        isOfSignal: registration.isOfSignal, perform: registration.perform)
      event.readiness = relevant
      let entry = makeEntry(
        .event(event), on: .foreground, nil, at: registration.entry.site,
        parent: currentBody?.lineage)
      countAccepted(entry)
      registrations[index].pending = event
      event.position = foreground.due.push(entry, in: .medium)
    }
    return found
  }

  /// Whether a handler for `source` is called now.
  private func tells(_ source: EventRegistration.Source) -> Bool {
    let isSignal = if case .signal = source { true } else { false }
    return shutdown?.callsHandlers(ofSignals: isSignal, at: now) ?? true
  }

  /// Notes that `event` is being served. The next delivery to its registration is a call of its own.
  mutating func serve(_ event: PendingEvent) {
    guard let index = registrations.firstIndex(where: { $0.number == event.number }) else { return }
    registrations[index].pending = nil
  }
}
