internal import TaskDispatch

/// Calls of event handlers.
extension Engine {
  /// Queues a call for each handler whose signal or descriptor has become ready. Under the lock, on the loop's
  /// thread.
  ///
  /// - Parameter looks: Whether to ask the kernel for readiness that the loop has not noticed yet. It costs a system
  ///   call.
  func queueEventCalls(_ core: Core, looks: Bool) {
    if let set = core.events.readySet { loop.watch(set) }
    let ready = loop.takeReadiness(looks: looks)
    for handler in core.comeEvents(ready) {
      let record = handler.record
      let dispatcher = dispatcher
      let call = WorkItem.make(
        // Not retained: the thread that runs the body holds the dispatcher, and a call that no thread will run must
        // not keep it.
        kind: .event, queue: dispatcher.foreground, label: record.label, site: record.site
      ) { [unowned dispatcher] in dispatcher.engine.call(handler) }
      _ = call.markTaken()
      core.number(call, parent: nil)
      handler.call = call
      core.accept(call)
      core.put(call)
    }
  }

  private func call(_ handler: EventHandler) {
    guard let (source, news) = withCore({ $0.serve(handler) }) else { return }
    switch source {
    case .signal(_, let perform): perform(news.deliveries)
    case .descriptor(_, _, _, let perform): perform(news.readiness)
    }
    withCore { $0.waitAgain(handler) }
  }
}
