import TaskDispatch
import TaskDispatchContract

/// Puts ``SteppedDispatcher`` to the contract.
struct SteppedSubject: ContractSubject {
  /// No threads, no pool, and no events.
  var provides: DispatcherContract.Provisions { [] }

  func makeDispatcher(_ configuration: ContractConfiguration) -> SteppedDispatcher {
    SteppedDispatcher(
      .init(
        width: configuration.width, overflow: configuration.overflow,
        agingStep: configuration.agingStep, observer: configuration.observer))
  }

  func runUntilIdle(_ dispatcher: SteppedDispatcher) { dispatcher.runUntilIdle() }

  func runBackgroundUntilIdle(_ dispatcher: SteppedDispatcher) {
    dispatcher.runBackgroundUntilIdle()
  }

  func pass(_ duration: Duration, on dispatcher: SteppedDispatcher) { dispatcher.pass(duration) }

  func spend(_ duration: Duration, on dispatcher: SteppedDispatcher) { dispatcher.spend(duration) }

  func end(_ dispatcher: SteppedDispatcher) { dispatcher.end() }

  func finish(_ dispatcher: SteppedDispatcher) {
    dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
    dispatcher.end()
  }
}
