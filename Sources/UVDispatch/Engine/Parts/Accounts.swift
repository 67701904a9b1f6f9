internal import TaskDispatch

/// The numbers of the submissions, and how many of them are in which state. A value under the dispatcher's lock.
struct Accounts {
  private(set) var ledger = Ledger()
  private(set) var lastNumber: UInt64 = 0
  /// What is counted of each lane alone.
  private let foreground: QueueStatistics
  private let background: QueueStatistics

  private let foregroundCounts: Owned<OutcomeCounts>.Link
  private let backgroundCounts: Owned<OutcomeCounts>.Link

  init(_ recorder: Recorder? = nil) {
    foreground = QueueStatistics(recordedAs: recorder?.foreground)
    background = QueueStatistics(recordedAs: recorder?.background)
    foregroundCounts = foreground.link
    backgroundCounts = background.link
  }

  func statistics(of lane: Lane) -> QueueStatistics {
    lane == .foreground ? foreground : background
  }

  @inline(__always) func counts(of lane: Lane) -> Owned<OutcomeCounts>.Link {
    lane == .foreground ? foregroundCounts : backgroundCounts
  }

  /// The number of a new submission. Numbers grow.
  @inline(__always) mutating func next() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  @inline(__always) mutating func accept(_ count: Int = 1) {
    ledger.accepted += count
    ledger.waiting += count
  }

  mutating func refuse() { ledger.refused += 1 }

  /// A submission that waits is refused after all.
  mutating func takeBackAcceptance() {
    ledger.accepted -= 1
    ledger.waiting -= 1
  }

  @inline(__always) mutating func begin() {
    ledger.waiting -= 1
    ledger.running += 1
  }

  @inline(__always) mutating func end(_ outcome: Outcome) {
    ledger.running -= 1
    ledger.count(outcome)
  }

  @inline(__always) mutating func endUnstarted(_ outcome: Outcome) {
    ledger.waiting -= 1
    ledger.count(outcome)
  }

  /// A plain task ends, and the next task of the batch begins in its place: one runs before and after.
  @inline(__always) mutating func passOn() {
    ledger.completed += 1
    ledger.waiting -= 1
  }

  /// An item ends, and the next task of the batch begins in its place.
  @inline(__always) mutating func passOn(ending outcome: Outcome) {
    ledger.count(outcome)
    ledger.waiting -= 1
  }
}
