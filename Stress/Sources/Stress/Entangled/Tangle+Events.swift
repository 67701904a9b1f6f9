import Glibc
import Oracle
import Synchronization
import TaskDispatch

/// A descriptor that is watched until its dispatcher ends.
struct Lamp: Sendable {
  let descriptor: CInt
  let registration: Registration
}

extension Tangle {
  /// Registers a handler. There are at most three at a time.
  func watch(_ dice: inout Dice, _ generation: Int) {
    guard !isExact, !isOver.isRaised, lamps.withLock({ $0.count }) < 3 else { return }
    let descriptor = SystemCalls.eventfd()
    guard descriptor >= 0 else { return }
    let (ticket, mark) = issue(.event, on: 0)
    let seed = dice.next()
    let site = CallSite(fileID: Self.file, line: UInt(mark))
    totals.handlers.add()
    do {
      let registration = try call("watching a descriptor") {
        try dispatcher.onReady(descriptor, for: .readable, label: nil, at: site) {
          [self, captured = token(.closure, ticket, mark, &dice, generation)] _ in
          captured.touch()
          var count: UInt64 = 0
          _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
          totals.handlerCalls.add()
          body(ticket, mark, isRepeat: true) {
            act(
              Dice.mixed(seed ^ UInt64(ticket.runs.load(ordering: .relaxed))),
              generation: generation + 2)
          }
        }
      }
      lamps.withLock { $0.append(Lamp(descriptor: descriptor, registration: registration)) }
    } catch {
      close(descriptor)
      if !isOver.isRaised { violations.report(.events, nil, "a handler was refused: \(error)") }
    }
  }

  /// Writes to a watched descriptor, or cancels its handler.
  func light(_ dice: inout Dice) {
    let place = dice.roll(3)
    let cancels = dice.once(in: 6)
    guard let lamp = lamps.withLock({ place < $0.count ? $0[place] : nil }) else { return }
    if cancels {
      call("cancelling a handler") { lamp.registration.cancel() }
    } else {
      var one: UInt64 = 1
      _ = write(lamp.descriptor, &one, MemoryLayout<UInt64>.size)
    }
  }

  /// Closes all descriptors. The dispatcher has ended.
  func closeLamps() {
    let all = lamps.withLock { lamps in
      defer { lamps = [] }
      return lamps
    }
    for lamp in all {
      call("cancelling a handler") { lamp.registration.cancel() }
      close(lamp.descriptor)
    }
  }
}
