public import TaskDispatch

extension RecordingDispatcher {
  public func onSignal(
    _ signal: Signal, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ deliveries: Int) -> Void
  ) throws(EventRefusal) -> Registration {
    let number = try withState { state throws(EventRefusal) in
      try state.register(.signal(signal), [], label: label, at: site) { event in
        perform(event.deliveries)
      }
    }
    return registration(number)
  }

  public func onReady(
    _ descriptor: CInt, for interest: Readiness, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ ready: Readiness) -> Void
  ) throws(EventRefusal) -> Registration {
    let number = try withState { state throws(EventRefusal) in
      try state.register(.descriptor(descriptor), interest, label: label, at: site) { event in
        perform(event.readiness)
      }
    }
    return registration(number)
  }

  private func registration(_ number: UInt64) -> Registration {
    let registration = Registration { [weak self] in
      self?.withState { $0.unregister(number) }
    }
    withState { state in
      state.registrations.first { $0.number == number }?.handed.registration = registration
    }
    return registration
  }
}
