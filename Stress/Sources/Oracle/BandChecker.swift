internal import Synchronization

/// Checks the bands of a queue of width 1: a higher band goes first, and waiting tasks age. Every
/// submission to the queue must be reported to this checker.
///
/// At width 1 a task that was taken and has not begun is the next to begin, so the order of begins is
/// the order of taking.
public final class BandChecker: @unchecked Sendable {
  private struct Waiting {
    let ticket: Ticket
    let called: Int64
  }

  private struct Band {
    var waiting: [Waiting] = []
    var first = 0
    /// The head became the head at this time or later.
    var headSince: Int64 = .min
    /// When a task of another band first passed the head over, at the latest.
    var passedOver: Int64?
    /// How many tasks passed the head over after three aging steps.
    var overtakes = 0

    var head: Waiting? { first < waiting.count ? waiting[first] : nil }

    mutating func pop() {
      first += 1
      if first > 1024, first * 2 > waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
    }
  }

  private let step: Int64
  private let violations: ViolationLog
  private let bands = Locked([Band](repeating: Band(), count: 4))
  private var previousEnd: Int64 = .min

  /// - Parameter agingStep: In nanoseconds.
  public init(agingStep: Int64, violations: ViolationLog) {
    step = agingStep
    self.violations = violations
  }

  /// The calling thread is about to submit `ticket`. These calls must have the order of the
  /// submissions, so only one thread submits to each band.
  public func submits(_ ticket: Ticket) {
    bands.withLock {
      $0[ticket.band].waiting.append(Waiting(ticket: ticket, called: ticket.submittedAt))
    }
  }

  public func ends(at time: Int64) {
    bands.withLock { _ in previousEnd = time }
  }

  public func begins(_ ticket: Ticket, at time: Int64) {
    bands.withLock { bands in
      let mine = bands[ticket.band]
      checkRank(ticket, mine, bands, at: time)
      for index in bands.indices where index != ticket.band {
        guard let head = bands[index].head,
          head.ticket.returnedAt.load(ordering: .acquiring) <= previousEnd
        else { continue }
        // The other band's head was waiting when this task was taken, and was passed over.
        guard let passedOver = bands[index].passedOver else {
          bands[index].passedOver = time
          continue
        }
        guard previousEnd >= passedOver + 3 * step else { continue }
        bands[index].overtakes += 1
        if bands[index].overtakes > 2 {
          violations.report(
            .priority, head.ticket,
            "was passed over \(bands[index].overtakes) times after three aging steps")
        }
      }
      bands[ticket.band].pop()
      // The former head was taken after `previousEnd`, and at the latest when it began.
      bands[ticket.band].headSince = previousEnd
      bands[ticket.band].passedOver = nil
      bands[ticket.band].overtakes = 0
    }
  }

  /// A lower band may go before a higher one that waits only if its head has aged that far. The age
  /// counts from the submission, or from when the task became the head if that was later: it cannot be
  /// passed over before.
  private func checkRank(_ ticket: Ticket, _ mine: Band, _ bands: [Band], at time: Int64) {
    guard let head = mine.head, head.ticket === ticket else { return }
    let age = time - max(head.called, mine.headSince)
    for index in 0..<ticket.band {
      guard let other = bands[index].head,
        other.ticket.returnedAt.load(ordering: .acquiring) <= previousEnd
      else { continue }
      let needed = step * Int64(ticket.band - index)
      if age < needed {
        violations.report(
          .priority, ticket,
          "began before \(other.ticket.description), which waited, at an age of \(age) ns; a step is \(step)"
        )
      }
      return
    }
  }
}
