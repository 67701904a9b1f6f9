public import TaskDispatch

extension RecordingDispatcher {
  /// Delivers `signal` to its handlers. Each handler waits for the foreground, as one call for a whole burst.
  ///
  /// Any thread, also inside a body.
  ///
  /// - Throws: ``StepError/noRegistration(_:registered:)`` if no handler is registered for it: a process would have met
  ///   the signal's default action. Nothing has changed then.
  public func raise(_ signal: Signal) throws(StepError) {
    try deliver(.signal(signal), [], "\(signal)")
  }

  /// Reports `descriptor` as ready. Its handler waits for the foreground, as one call.
  ///
  /// The real loop calls the handler again and again while the cause lasts. Call this once for each such call. Any
  /// thread, also inside a body.
  ///
  /// - Throws: ``StepError/noRegistration(_:registered:)`` if no handler watches the descriptor for any of `readiness`.
  public func makeReady(_ descriptor: CInt, _ readiness: Readiness) throws(StepError) {
    try deliver(.descriptor(descriptor), readiness, "descriptor \(descriptor) (\(readiness))")
  }

  private func deliver(
    _ source: EventRegistration.Source, _ readiness: Readiness, _ name: String
  ) throws(StepError) {
    try withState { state throws(StepError) in
      guard state.deliver(source, readiness) else {
        throw .noRegistration(
          name, registered: state.registrations.map { "\($0.name) (\($0.entry.site))" })
      }
    }
    runAutomatically()
  }

  /// The names of the registrations for signals and descriptors, in the order of registration.
  public var awaitedEvents: [String] { withState { $0.registrations.map(\.name) } }
}
