import Glibc
import Oracle
import TaskDispatch

/// A dispatcher that handlers are registered with, and the checks of their calls.
protocol EventHost: AnyObject, Sendable {
  var dispatcher: any EventDispatcher { get }
  var violations: ViolationLog { get }
  /// Raised before the shutdown. From then on the dispatcher may refuse.
  var isOver: Switch { get }
  /// The system's number of the loop's thread; 0 if it is not known.
  var loopThread: Number { get }
  /// Posts a body to the dispatcher's foreground. False if it was refused.
  @discardableResult
  func postHere(_ body: @escaping @Sendable () -> Void) -> Bool
  /// Runs the body of a call, and has the foreground's checker check it.
  func watchCall(_ body: @escaping @Sendable () -> Void)
  /// A call may have begun for the dispatcher and its ledger, although no handler will see it.
  func mayHideCall()
}

extension EventHost {
  /// A handler is called.
  func called(_ body: @escaping @Sendable () -> Void) {
    if !dispatcher.isForeground {
      violations.report(.events, nil, "a handler was called elsewhere than on the foreground")
    }
    watchCall(body)
  }

  /// Cancels a registration, and tells the checker of its calls.
  func cancel(_ registration: Registration, _ checker: HandlerChecker) {
    let isHere = dispatcher.isForeground
    if !isHere { mayHideCall() }
    checker.cancels()
    registration.cancel()
    checker.cancelled(onForeground: isHere)
  }

  /// Reports a refusal, unless the end of the dispatcher explains it.
  func checkRefusal(_ refusal: any Error, of what: String) {
    if refusal as? EventRefusal == .shutDown, isOver.isRaised { return }
    violations.report(.events, nil, "\(what) was refused: \(refusal)")
  }
}

extension World: EventHost {
  func postHere(_ body: @escaping @Sendable () -> Void) -> Bool { post(on: 0, seed: 0, body) }

  func watchCall(_ body: @escaping @Sendable () -> Void) {
    // The library submits the call, so it is counted when it begins.
    let ticket = checkers[0].issue(.event, isCertain: false, seed: 0, at: now())
    totals.handlerCalls.add()
    totals.accepted.add()
    onChild?(ticket)
    perform(ticket, .call(body))
  }

  func mayHideCall() {
    // The fake has one thread, so nothing happens between a call's start and its handler.
    if plan.backend == .uv { totals.hidden.add() }
  }
}
