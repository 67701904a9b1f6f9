import Glibc
import Oracle
import TaskDispatch

/// A dispatcher that handlers are registered with, and whoever watches their calls.
protocol EventHost: AnyObject, Sendable {
  var dispatcher: any EventDispatcher { get }
  var court: Court { get }
  /// From then on it may refuse.
  var isOver: Switch { get }
  /// The system's number of its loop's thread; 0 if that is not known.
  var loopThread: Number { get }
  /// Hands over a body for its foreground. False if it was refused.
  @discardableResult
  func postHere(_ body: @escaping @Sendable () -> Void) -> Bool
  /// Runs the body of a call, under the eyes of whoever watches the foreground.
  func watchCall(_ body: @escaping @Sendable () -> Void)
  /// A call may have begun, for the dispatcher and its ledger, that no handler will see.
  func mayHideCall()
}

extension EventHost {
  /// A handler is called.
  func called(_ body: @escaping @Sendable () -> Void) {
    if !dispatcher.isForeground {
      court.report(.events, nil, "a handler was called elsewhere than on the foreground")
    }
    watchCall(body)
  }

  /// Cancels a registration, and says so to who watches its calls.
  func cancel(_ registration: Registration, _ judge: HandlerJudge) {
    let isHere = dispatcher.isForeground
    if !isHere { mayHideCall() }
    judge.cancels()
    registration.cancel()
    judge.cancelled(onForeground: isHere)
  }

  /// Whether a refusal is one that the end of the dispatcher explains; else it is brought to court.
  func judgeRefusal(_ refusal: any Error, of what: String) {
    if refusal as? EventRefusal == .shutDown, isOver.isRaised { return }
    court.report(.events, nil, "\(what) was refused: \(refusal)")
  }
}

extension World: EventHost {
  func postHere(_ body: @escaping @Sendable () -> Void) -> Bool { post(on: 0, seed: 0, body) }

  func watchCall(_ body: @escaping @Sendable () -> Void) {
    // Submitted by the library; counted when it comes.
    let ticket = judges[0].issue(.event, isCertain: false, seed: 0, at: now())
    totals.handlerCalls.add()
    totals.accepted.add()
    onChild?(ticket)
    perform(ticket, .call(body))
  }

  func mayHideCall() {
    // On the fake's one thread nobody comes in between.
    if plan.backend == .uv { totals.hidden.add() }
  }
}
