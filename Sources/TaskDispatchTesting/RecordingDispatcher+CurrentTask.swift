public import TaskDispatch

extension RecordingDispatcher {
  public func cancelRunning(_ context: TaskContext) -> Bool {
    guard let entry = context as? Entry else { return false }
    switch entry.work {
    case .item(let item): return cancel(item.handled) == .requested
    case .event(let event):
      let registration = withState { state -> Registration? in
        defer { state.unregister(event.number) }
        return state.registrations.first { $0.number == event.number }?.handed.registration
      }
      // This marks the registration as cancelled. Its handler is gone already.
      registration?.cancel()
      return true
    case .plain, .body, .job, .caller, .registration: return false
    }
  }
}
