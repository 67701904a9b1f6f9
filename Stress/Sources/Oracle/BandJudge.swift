internal import Synchronization

/// Watches the bands of a queue of width 1: a higher band first, and aging. Everything that the queue
/// has must pass through it.
///
/// At width 1 what has been taken and not begun is what begins next, so the order of begins is the
/// order of taking.
public final class BandJudge: @unchecked Sendable {
  private struct Waiting {
    let ticket: Ticket
    let called: Int64
  }

  private struct Band {
    var waiting: [Waiting] = []
    var first = 0
    /// Before then its head was not the head.
    var headSince: Int64 = .min
    /// When a begin first passed its head over, at the latest.
    var passedOver: Int64?
    /// How many began before it since three steps had passed.
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
  private let court: Court
  private let bands = Locked([Band](repeating: Band(), count: 4))
  private var previousEnd: Int64 = .min

  /// - Parameter agingStep: In nanoseconds.
  public init(agingStep: Int64, court: Court) {
    step = agingStep
    self.court = court
  }

  /// It is about to be submitted. The order of these calls must be that of the submissions: each band
  /// has one thread that submits to it.
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
      judgeRank(ticket, mine, bands, at: time)
      for index in bands.indices where index != ticket.band {
        guard let head = bands[index].head,
          head.ticket.returnedAt.load(ordering: .acquiring) <= previousEnd
        else { continue }
        // Its head stood there when this one was taken, and was passed over.
        guard let passedOver = bands[index].passedOver else {
          bands[index].passedOver = time
          continue
        }
        guard previousEnd >= passedOver + 3 * step else { continue }
        bands[index].overtakes += 1
        if bands[index].overtakes > 2 {
          court.report(
            .priority, head.ticket,
            "was passed over \(bands[index].overtakes) times after three aging steps")
        }
      }
      bands[ticket.band].pop()
      // Taken after that, and at the latest when it began.
      bands[ticket.band].headSince = previousEnd
      bands[ticket.band].passedOver = nil
      bands[ticket.band].overtakes = 0
    }
  }

  /// A lower band may go before a higher one that waits only if its head has aged that far: and it
  /// cannot have been passed over before it was the head.
  private func judgeRank(_ ticket: Ticket, _ mine: Band, _ bands: [Band], at time: Int64) {
    guard let head = mine.head, head.ticket === ticket else { return }
    let age = time - max(head.called, mine.headSince)
    for index in 0..<ticket.band {
      guard let other = bands[index].head,
        other.ticket.returnedAt.load(ordering: .acquiring) <= previousEnd
      else { continue }
      let needed = step * Int64(ticket.band - index)
      if age < needed {
        court.report(
          .priority, ticket,
          "began before \(other.ticket.description), which waited, at an age of \(age) ns; a step is \(step)"
        )
      }
      return
    }
  }
}
