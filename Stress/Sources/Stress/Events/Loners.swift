import Oracle
import TaskDispatch
import UVDispatch

/// Dispatchers that only an event makes run.
struct Loners {
  let load: EventLoad
  let violations: ViolationLog
  /// A little less than the patience of the ``Monitor``, whose message would say less.
  private var patience: Double { Double(Monitor.patience) * 0.9 / 1e9 }

  /// Releases a dispatcher that never ran, with its handlers, while signals arrive.
  func letGo(_ dice: inout Dice) throws {
    let raised = RaisedSignal.counted[dice.roll(RaisedSignal.counted.count)]
    let dispatcher = try UVDispatcher(.init(label: "let go of"))
    for _ in 0..<2 {
      try dispatcher.onSignal(raised.signal) { [violations] _ in
        violations.report(.events, nil, "a handler was called by a loop that no thread runs")
      }
    }
    load.raise(raised)
    withExtendedLifetime(dispatcher) {}
  }

  /// Wakes a sleeping dispatcher: by a descriptor, by a signal, and by the end of both.
  func wake(_ dice: inout Dice) throws {
    guard var ends = Ends(.pipe) else { return }
    let dispatcher = try UVDispatcher(.init(label: "asleep"))
    try dispatcher.start()
    _ = ends.write(1)
    let pipe = Locked(ends)
    let (isReady, hasCome) = (Gate(), Gate())
    let registration = try dispatcher.onReady(ends.here, for: .readable) { _ in
      if case .bytes = pipe.withLock({ $0.read(1) }) { isReady.open() }
    }
    if !isReady.wait(seconds: patience) { report("a descriptor that was ready") }
    registration.cancel()
    let raised = RaisedSignal.counted[dice.roll(RaisedSignal.counted.count)]
    let listening = try dispatcher.onSignal(raised.signal) { _ in hasCome.open() }
    load.raise(raised)
    if !hasCome.wait(seconds: patience) { report("\(raised.signal)") }
    listening.cancel()
    try follow(dispatcher, cancels: dice.once(in: 2))
    dispatcher.beginShutdown(ShutdownPolicy())
    let look = Gate()
    while dispatcher.report == nil { look.wait(seconds: 0.000_1) }
    pipe.withLock { ends in
      ends.closeHere()
      ends.closeThere()
    }
  }

  /// Follows a signal that nothing else waits for. When the sequence has ended, nothing waits for it.
  private func follow(_ dispatcher: UVDispatcher, cancels: Bool) throws {
    let (hasCome, hasEnded) = (Gate(), Gate())
    let sequence = Locked<SignalSequence?>(try dispatcher.signals(RaisedSignal.alone.signal))
    let task = Task {
      for await _ in sequence.withLock({ $0.take() })! {
        hasCome.open()
        if !cancels { break }
      }
      hasEnded.open()
    }
    load.raise(.alone)
    if !hasCome.wait(seconds: patience) { report("\(RaisedSignal.alone.signal), awaited") }
    if cancels { task.cancel() }
    if !hasEnded.wait(seconds: patience) { report("a cancellation") }
    let look = Gate()
    let end = monotonicNanoseconds() + Int64(patience * 1e9)
    while !RaisedSignal.alone.isAsBefore {
      guard monotonicNanoseconds() < end else {
        return violations.report(
          .events, nil, "a sequence has ended, and its handler is still there")
      }
      look.wait(seconds: 0.000_1)
    }
  }

  private func report(_ cause: String) {
    violations.report(.events, nil, "a loop that slept was not woken by \(cause)")
  }
}
