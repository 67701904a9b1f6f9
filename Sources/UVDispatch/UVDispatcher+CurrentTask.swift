public import TaskDispatch

extension UVDispatcher {
  public func cancelRunning(_ context: TaskContext) -> Bool {
    guard let item = context.item else { return false }
    guard item.kind == .event else { return cancel(item.handled) == .requested }
    let registration = engine.withCore { core -> Registration? in
      guard let handler = core.events.handlers.values.first(where: { $0.served === item }) else {
        return nil
      }
      handler.cancelsItself = true
      core.remove(handler)
      return handler.registration
    }
    // Marks the registration as cancelled. Its handler was removed above.
    registration?.cancel()
    return true
  }
}
