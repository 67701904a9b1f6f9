import Oracle

/// A queue that nobody runs: a test says what submitters and bodies do, in which order.
final class Desk {
  let court = Court()
  let judge: QueueJudge
  private var seed: UInt64 = 0
  /// Nanoseconds, as the test says.
  var time: Int64 = 1_000

  init(width: Int = 1) {
    judge = QueueJudge(index: 0, name: "queue", width: width, court: court)
  }

  /// Which rules were found broken.
  var broken: [Rule] { court.all.map(\.rule) }

  func submit(
    _ form: Ticket.Form = .posted, band: Int = 1, isBarrier: Bool = false, isCertain: Bool = true,
    delay: Int64? = nil
  ) -> Ticket {
    let ticket = issue(
      form, band: band, isBarrier: isBarrier, isCertain: isCertain, delay: delay)
    judge.returned(ticket, at: time)
    return ticket
  }

  /// The call has not returned yet.
  func issue(
    _ form: Ticket.Form = .posted, band: Int = 1, isBarrier: Bool = false, isCertain: Bool = true,
    delay: Int64? = nil
  ) -> Ticket {
    seed += 1
    return judge.issue(
      form, band: band, isBarrier: isBarrier, isCertain: isCertain, delay: delay, seed: seed,
      at: time)
  }

  @discardableResult
  func begin(_ ticket: Ticket) -> Bool { judge.begin(ticket, at: time) }

  func run(_ ticket: Ticket) {
    if begin(ticket) { judge.finish(ticket) }
  }
}
