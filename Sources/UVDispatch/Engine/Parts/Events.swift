internal import TaskDispatch

/// The handlers of signals and descriptors. A value under the dispatcher's lock.
struct Events {
  /// All handlers, by number.
  var handlers: [UInt64: EventHandler] = [:]
  /// Handlers of descriptors, by descriptor.
  var watched: [CInt: EventHandler] = [:]
  /// Handlers of signals, in the order of registration.
  var ofSignals: [EventHandler] = []
  /// The set of all watched descriptors; made with the first.
  var readySet: ReadySet?

  /// All handlers, in the order of registration.
  var all: [EventHandler] { handlers.values.sorted { $0.number < $1.number } }

  mutating func add(_ handler: EventHandler) {
    handlers[handler.number] = handler
    if let descriptor = handler.descriptor {
      watched[descriptor] = handler
    } else {
      ofSignals.append(handler)
    }
  }

  /// The loop ends: no descriptor is watched any more.
  mutating func dropSet() { readySet = nil }

  /// Takes out a handler. False if it was removed before.
  mutating func remove(_ handler: EventHandler) -> Bool {
    guard handlers.removeValue(forKey: handler.number) != nil else { return false }
    if let descriptor = handler.descriptor {
      watched[descriptor] = nil
    } else {
      ofSignals.removeAll { $0 === handler }
    }
    return true
  }
}
