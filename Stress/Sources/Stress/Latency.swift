import Histogram
import Oracle

/// How long tasks waited between their submission and their first instruction, in nanoseconds.
///
/// One task in sixteen is measured, since reading the clock costs as much as a task.
final class Latency: Sendable {
  typealias Values = Histogram<UInt64>

  private let shelves: [Locked<Values?>] = (0..<ThreadRecorder.most).map { _ in Locked(nil) }
  private let whole = Locked(Latency.empty)

  private static var empty: Values {
    Values(
      highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .two)
  }

  static func isSampled(_ ticket: Ticket) -> Bool { ticket.number & 15 == 0 }

  func record(_ nanoseconds: Int64) {
    shelves[ThreadRecorder.current.index].withLock { values in
      if values == nil { values = Self.empty }
      values!.record(UInt64(max(1, nanoseconds)))
    }
  }

  /// What was measured since the last call.
  func takeLatest() -> Values {
    var latest = Self.empty
    for shelf in shelves {
      shelf.withLock { values in
        guard values != nil else { return }
        latest.add(values!)
        values!.reset()
      }
    }
    let copy = latest
    whole.withLock { $0.add(copy) }
    return latest
  }

  /// Everything that was measured, ``takeLatest()`` included.
  func takeWhole() -> Values {
    _ = takeLatest()
    return whole.withLock { $0 }
  }
}
