import TaskDispatch
import TaskDispatchTesting

@testable import UVDispatch

/// Puts ``UVDispatcher`` to the contract: its loop runs on a thread of its own.
struct UVSubject: ContractSubject {
  var provides: DispatcherContract.Provisions { [.threads, .sharedPool] }

  func makeDispatcher(_ configuration: ContractConfiguration) throws -> UVDispatcher {
    try UVDispatcher(
      .init(
        backgroundWidth: configuration.width, overflow: configuration.overflow,
        agingStep: configuration.agingStep, observer: configuration.observer))
  }

  func start(_ dispatcher: UVDispatcher) throws { try dispatcher.start() }

  func settle(_ dispatcher: UVDispatcher) { dispatcher.waitUntil { $0.isIdle } }

  func end(_ dispatcher: UVDispatcher) { dispatcher.waitUntil { $0.shutdown?.report != nil } }

  func finish(_ dispatcher: UVDispatcher) throws {
    if dispatcher.withCore({ !$0.loopRuns && !$0.loopIsOver }) { try start(dispatcher) }
    dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
    dispatcher.waitUntil { $0.loopIsOver }
  }

  func usePool(of dispatcher: UVDispatcher, _ work: @escaping @Sendable () -> Void) {
    Leases.start(work)
  }
}

extension UVDispatcher {
  /// Stands still until `condition` holds of what the dispatcher knows.
  func waitUntil(_ condition: (Core) -> Bool) {
    let core = lock()
    while !condition(core) { park() }
    unlock()
  }
}
