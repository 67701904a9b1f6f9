/// Which refusals and which help are wrong.
extension WaitChecker {
  /// Why a refusal of the wait of `context` is wrong, in this state, in which it still waits. Nil if it is
  /// right.
  ///
  /// - Parameter held: Frames that were held at closed gates when the refusal came.
  func objection(toRefusalOf number: Int, while held: Set<Int>) -> (Finding.Kind, String)? {
    guard let context = state.context(number), case .waiting(_, let isTimed) = context.activity
    else {
      return (.falseRefusal, "it did not wait")
    }
    if state.awaitsItself(context) { return nil }
    if isTimed { return (.falseRefusal, "it has a time-out, and ends by itself") }
    guard state.isRefusable(context) else {
      return (.outsideRefused, "its thread has no task of the dispatcher on its stack")
    }
    if case .waiting(.sync(let queue, _), _) = context.activity,
      state.callsBack(to: queue, from: context) != .no
    {
      return nil
    }
    var outlooks = state.possible.map { Outlook(of: $0, hopes: .everything) }
    // The rule does not say whether a worker that waits in a callback helps.
    if state.tops.contains(where: state.isInCallback) {
      let unaided = Outlook.Hopes.everything.subtracting(.help)
      outlooks += state.possible.map { Outlook(of: $0, hopes: unaided) }
    }
    if outlooks.allSatisfy({ $0.ends(context) }) {
      let way = outlooks[0].way.joined(separator: "\n    ")
      return (.falseRefusal, "there was a way:\n    " + way)
    }
    return isSync(context) ? nil : objection(toEarlyRefusalOf: context, while: held)
  }

  /// A wait for a handle or a group is refused at a standstill, or in a circle of bodies that run.
  private func objection(
    toEarlyRefusalOf context: WaitState.Frame, while held: Set<Int>
  ) -> (Finding.Kind, String)? {
    let other = state.tops.first {
      held.contains($0.number) && $0.activity == .held && state.isRefusable($0)
    }
    let circle = Outlook(of: state, hopes: [.everything, .queued])
    guard let other, circle.ends(context) else { return nil }
    return (.earlyRefusal, "\(state.name(of: other)) still ran")
  }

  /// Why it is wrong that a task of `queue` starts on the stack of `top`. Nil if it is right.
  func objection(toHelpOn top: WaitState.Frame, with queue: Int) -> (Finding.Kind, String)? {
    guard case .worker = top.place else {
      return (.wrongHelper, "only workers run tasks while they wait")
    }
    guard case .waiting(.sync(queue, _), _) = top.activity else {
      return (.wrongHelper, "\(state.name(of: top)) does not wait in a sync of that queue")
    }
    let unaided = Outlook.Hopes.everything.subtracting(.help)
    var way: [String] = []
    for state in state.possible {
      // A circle may lead through a wait for the handle of a body that runs, as it may for a refusal.
      let circle = Outlook(of: state, hopes: unaided.union(.queued))
      let alone = Outlook(of: state, hopes: unaided)
      let runs = WaitChecker(state).runs
      if !circle.ends(top) || !alone.ends(top) && !runs { return nil }
      if way.isEmpty { way = alone.ends(top) ? alone.way : circle.way }
    }
    return (
      .needlessHelp,
      "the search would not have refused it:\n    " + way.joined(separator: "\n    ")
    )
  }
}
