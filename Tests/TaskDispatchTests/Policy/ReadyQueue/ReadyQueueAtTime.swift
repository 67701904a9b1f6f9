@testable import TaskDispatch

extension ReadyQueue {
  /// Takes the element that starts next at `time`.
  mutating func take(at time: Int64) -> Element? {
    take(now: { time })
  }
}
