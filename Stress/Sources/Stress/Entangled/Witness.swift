import Oracle
import TaskDispatch

/// An observer that records what the dispatcher tells it, and misbehaves too.
final class Witness: TaskObserver {
  /// Set to nil in the end, since the dispatcher holds its observer.
  private let tangle = Locked<Tangle?>(nil)
  private let count = Number()

  func watch(_ tangle: Tangle?) {
    // The former value is released outside the lock, since its release may run user code.
    let former = self.tangle.withLock { known -> Tangle? in
      defer { known = tangle }
      return known
    }
    withExtendedLifetime(former) {}
  }

  func observe(_ event: TaskEvent) {
    guard let tangle = tangle.withLock({ $0 }) else { return }
    let mark = tangle.mark(of: event.task.site)
    switch event.kind {
    case .enqueued: tangle.roll.told(.enqueued, of: mark)
    case .refused: tangle.roll.told(.refused, of: mark)
    case .started: tangle.roll.told(.started, of: mark)
    case .finished(let outcome):
      let ran =
        switch outcome {
        case .completed, .failed, .abandoned: true
        case .cancelled, .expired, .refused: false
        }
      tangle.roll.told(.finished(ran: ran), of: mark)
    default: break
    }
    count.add(1)
    if tangle.leavesOut(.observer) { return }
    let seed = Dice.mixed(tangle.seed ^ count.value)
    guard seed % 23 == 0 else { return }
    tangle.observes(mark) { tangle.act(seed, generation: 3) }
  }
}
