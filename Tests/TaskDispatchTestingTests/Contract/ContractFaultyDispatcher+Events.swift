import TaskDispatch
import TaskDispatchTesting

extension FaultyDispatcher {
  func onSignal(
    _ signal: Signal, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ deliveries: Int) -> Void
  ) throws(EventRefusal) -> Registration {
    try register { () throws(EventRefusal) in
      try inner.onSignal(signal, label: label, at: site) { [fault] deliveries in
        perform(fault == .losesDeliveries ? 1 : deliveries)
      }
    }
  }

  func onReady(
    _ descriptor: CInt, for interest: Readiness, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ ready: Readiness) -> Void
  ) throws(EventRefusal) -> Registration {
    try register { () throws(EventRefusal) in
      try inner.onReady(descriptor, for: interest, label: label, at: site) { [fault] ready in
        perform(fault == .tellsAllReadiness ? interest : ready)
      }
    }
  }

  private func register(
    _ register: () throws(EventRefusal) -> Registration
  ) throws(EventRefusal) -> Registration {
    do throws(EventRefusal) {
      let registration = try register()
      return fault == .ignoresRemoval ? Registration {} : registration
    } catch {
      switch (fault, error) {
      case (.watchesTwice, .alreadyWatched), (.registersAfterShutdown, .shutDown):
        return Registration {}
      default: throw error
      }
    }
  }
}
