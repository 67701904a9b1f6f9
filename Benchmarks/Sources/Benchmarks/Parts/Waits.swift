import Histogram
import Measuring

/// How long each of several things took, in nanoseconds, and what can be said of all of them.
final class Waits: @unchecked Sendable {
  // Each place is written once, by the body of its number, before that body's counter advances; read
  // when all of them have.
  private let places: UnsafeMutableBufferPointer<Int64>

  init(count: Int) {
    places = .allocate(capacity: count)
    places.initialize(repeating: 0)
  }

  deinit { places.deallocate() }

  func set(_ number: Int, _ nanoseconds: Int64) { places[number] = nanoseconds }

  subscript(number: Int) -> Int64 { places[number] }

  /// In the order of `percents`.
  func percentiles(_ percents: [Double]) -> [Double] {
    var histogram = Histogram<UInt64>(
      highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
    for value in places { histogram.record(UInt64(max(1, value))) }
    return percents.map { Double(histogram.valueAtPercentile($0)) }
  }
}
