import Oracle

/// A queue without a dispatcher. A test says what submitting threads and bodies do, in which order.
final class Fixture {
  let violations = ViolationLog()
  let checker: QueueChecker
  private var seed: UInt64 = 0
  /// In nanoseconds, as the test sets it.
  var time: Int64 = 1_000

  init(width: Int = 1) {
    checker = QueueChecker(index: 0, name: "queue", width: width, violations: violations)
  }

  /// The rules that were found broken.
  var broken: [Rule] { violations.all.map(\.rule) }

  func submit(
    _ form: Ticket.Form = .posted, band: Int = 1, isBarrier: Bool = false, isCertain: Bool = true,
    delay: Int64? = nil
  ) -> Ticket {
    let ticket = issue(
      form, band: band, isBarrier: isBarrier, isCertain: isCertain, delay: delay)
    checker.returned(ticket, at: time)
    return ticket
  }

  /// Makes a ticket whose submission has not returned yet.
  func issue(
    _ form: Ticket.Form = .posted, band: Int = 1, isBarrier: Bool = false, isCertain: Bool = true,
    delay: Int64? = nil
  ) -> Ticket {
    seed += 1
    return checker.issue(
      form, band: band, isBarrier: isBarrier, isCertain: isCertain, delay: delay, seed: seed,
      at: time)
  }

  @discardableResult
  func begin(_ ticket: Ticket) -> Bool { checker.begin(ticket, at: time) }

  func run(_ ticket: Ticket) {
    if begin(ticket) { checker.finish(ticket) }
  }
}
