import Glibc
import Oracle
import TaskDispatch

extension Producer {
  /// Performs one operation that has to do with handlers.
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

  /// Posts a body to the foreground of `host`. If that is the dispatcher under load, this thread lists
  /// the submission as its own.
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

  /// Sends a signal to the process, or to a loop's thread while it does something else.
  private func send(_ events: EventLoad) {
    let raised = RaisedSignal.sent[dice.roll(2)]
    world.totals.raised.add()
    guard dice.once(in: 2), let host = events.anyHost(&dice), host.loopThread.value > 0 else {
      return raised.send()
    }
    // While a thread blocks this signal, the kernel merges it. It would queue the other signal each
    // time, and use memory for ever.
    RaisedSignal.sent[0].send(to: pid_t(host.loopThread.value))
  }

  // MARK: Ending handlers

  /// Ends a handler: on this thread, in a Task, or on the foreground.
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

  /// Closes a descriptor while a handler waits for it. The next file that is opened gets its number,
  /// and the handler must leave that file alone.
  private func closeBehindItsBack(_ events: EventLoad) {
    // ThreadSanitizer would report what is tried here: one thread closes what another uses.
    guard !isUnderThreadSanitizer, let host = events.anyHost(&dice), var ends = Ends(.pipe) else {
      return
    }
    let number = fcntl(ends.here, F_DUPFD_CLOEXEC, 3)
    defer {
      ends.closeHere()
      ends.closeThere()
    }
    guard number >= 0 else { return }
    let checker = ReadinessChecker(
      interest: Readiness.readable.rawValue, name: "a handler of \(number), which was closed",
      violations: world.violations)
    do {
      try host.dispatcher.onReady(number, for: .readable) { ready in
        host.called { checker.told(ready.rawValue) }
      }
      world.totals.handlers.add()
    } catch { host.checkRefusal(error, of: "a handler of \(number)") }
    if dice.once(in: 2) { _ = ends.write(1) }
    for _ in 0..<dice.roll(3) { post(at: host) {} }
    // The file may be closed together with the descriptor or not.
    if dice.once(in: 2) { ends.closeHere() }
    // The next registration of this number ends the handler. A call of the handler may have begun by
    // then.
    host.mayHideCall()
    close(number)
    checker.calls.closed()
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
      // This number is above what a process may have open.
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
      host.violations.report(.events, nil, "a handler was registered, and not refused: \(refusal)")
    } catch let answer as EventRefusal where answer == refusal {
    } catch { host.checkRefusal(error, of: "what asked for the answer \(refusal)") }
  }
}
