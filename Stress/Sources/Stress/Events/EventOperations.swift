import Glibc
import Oracle
import TaskDispatch

extension Producer {
  /// Does what has to do with handlers.
  func perform(event operation: Mix.Operation) {
    guard let events = world.events else { return }
    switch operation {
    case .raise:
      let raised = anySignal()
      for _ in 0...dice.roll(3) { events.raise(raised) }
    case .raiseInside:
      let raised = anySignal()
      post(on: dice.roll(world.queues.count), .call { events.raise(raised) })
    case .send: send(events)
    case .listen:
      guard let host = events.anyHost(&dice) else { return }
      if let old = events.listen(at: host, seed: dice.next()) { unlisten(old, events) }
    case .unlisten: if let listener = events.anyListener(&dice) { unlisten(listener, events) }
    case .open:
      guard let host = events.anyHost(&dice) else { return }
      if let old = events.open(at: host, seed: dice.next()) { end(old, events) }
    case .write: if let wire = events.anyWire(&dice) { _ = wire.write(1 + dice.roll(4)) }
    case .watchAgain: if let wire = events.anyWire(&dice) { watchAgain(wire, events) }
    case .close: if let wire = events.anyWire(&dice) { end(wire, events) }
    case .closeBehind: if events.hasOutsiders { closeBehindItsBack(events) }
    case .unhandled: askForWhatIsRefused(events)
    default: break
    }
  }

  /// On the foreground of `host`. What this thread submits to the dispatcher under load is in its books.
  private func post(at host: any EventHost, _ body: @escaping @Sendable () -> Void) {
    if host === world {
      post(on: 0, .call(body))
    } else {
      host.postHere(body)
    }
  }

  private func anySignal() -> RaisedSignal {
    RaisedSignal.counted[dice.roll(RaisedSignal.counted.count)]
  }

  /// To somebody, who is in the middle of something else.
  private func send(_ events: EventLoad) {
    let raised = RaisedSignal.sent[dice.roll(2)]
    world.totals.raised.add()
    guard dice.once(in: 2), let host = events.anyHost(&dice), host.loopThread.value > 0 else {
      return raised.send()
    }
    // The kernel merges it where it is not let in; of the other each would take room for ever.
    RaisedSignal.sent[0].send(to: pid_t(host.loopThread.value))
  }

  // MARK: Ending handlers

  /// Here, in a Task, or on the foreground.
  private func unlisten(_ listener: Listener, _ events: EventLoad) {
    world.totals.handlersCancelled.add()
    switch dice.roll(4) {
    case 0 where events.hasOutsiders, 1 where events.hasOutsiders: listener.cancel()
    case 2 where events.hasOutsiders && events.fake == nil:
      let world = world
      world.pendingAsync.add()
      Task {
        listener.cancel()
        world.pendingAsync.add(-1)
      }
    default: post(at: listener.host) { listener.cancel() }
    }
  }

  private func end(_ wire: Wire, _ events: EventLoad) {
    let isOutside = events.hasOutsiders && dice.once(in: 2)
    switch dice.roll(3) {
    case 0 where wire.closeOther(): return
    case 1 where isOutside: wire.unwatch()
    default: break
    }
    world.totals.handlersCancelled.add()
    post(at: wire.host) { wire.end() }
  }

  private func watchAgain(_ wire: Wire, _ events: EventLoad) {
    switch dice.roll(3) {
    case 0: wire.watchTwice()
    case 1 where events.hasOutsiders: wire.watchAgain()
    default: post(at: wire.host) { wire.watchAgain() }
    }
  }

  /// A descriptor that is closed while somebody waits for it: its number is the next that is opened, and
  /// its handler must leave that alone.
  private func closeBehindItsBack(_ events: EventLoad) {
    // It would report what is tried here: that one thread closes what another uses.
    guard !isUnderThreadSanitizer, let host = events.anyHost(&dice), var ends = Ends(.pipe) else {
      return
    }
    let number = fcntl(ends.here, F_DUPFD_CLOEXEC, 3)
    defer {
      ends.closeHere()
      ends.closeThere()
    }
    guard number >= 0 else { return }
    let judge = ReadinessJudge(
      interest: Readiness.readable.rawValue, name: "a handler of \(number), which was closed",
      court: world.court)
    do {
      try host.dispatcher.onReady(number, for: .readable) { ready in
        host.called { judge.told(ready.rawValue) }
      }
      world.totals.handlers.add()
    } catch { host.judgeRefusal(error, of: "a handler of \(number)") }
    if dice.once(in: 2) { _ = ends.write(1) }
    for _ in 0..<dice.roll(3) { post(at: host) {} }
    // Its file may go with it or not.
    if dice.once(in: 2) { ends.closeHere() }
    // Whoever gets the number ends the handler, whose call may have begun by then.
    host.mayHideCall()
    close(number)
    judge.calls.closed()
  }

  // MARK: What is refused

  private func askForWhatIsRefused(_ events: EventLoad) {
    guard let host = events.anyHost(&dice) else { return }
    let file = EventLoad.file
    let isFake = events.fake != nil
    switch dice.roll(isFake ? 4 : 6) {
    case 0:
      let signal = Signal(rawValue: [0, 65, -1][dice.roll(3)])
      expect(.noSuchSignal(signal), host) { try host.dispatcher.onSignal(signal) { _ in } }
    case 1:
      let refusals: [EventRefusal] = [
        .cannotBeHandled(.kill), .cannotBeHandled(.stop), .belongsToTheLoop(.child),
      ]
      let which = dice.roll(3)
      let signal = [Signal.kill, .stop, .child][which]
      expect(refusals[which], host) { try host.dispatcher.onSignal(signal) { _ in } }
    case 2: expect(.notOpen(-1), host) { try host.dispatcher.onReady(-1, for: .readable) { _ in } }
    case 3:
      expect(.nothingToWatchFor(file), host) { try host.dispatcher.onReady(file, for: []) { _ in } }
    case 4:
      expect(.cannotBeWatched(file), host) {
        try host.dispatcher.onReady(file, for: .readable) { _ in }
      }
    default:
      // Above what a process may have open.
      expect(.notOpen(1 << 28), host) {
        try host.dispatcher.onReady(1 << 28, for: .readable) { _ in }
      }
    }
  }

  private func expect(
    _ refusal: EventRefusal, _ host: any EventHost,
    _ register: () throws -> Registration
  ) {
    do {
      try register().cancel()
      host.court.report(.events, nil, "a handler was registered, and not refused: \(refusal)")
    } catch let answer as EventRefusal where answer == refusal {
    } catch { host.judgeRefusal(error, of: "what asked for the answer \(refusal)") }
  }
}
