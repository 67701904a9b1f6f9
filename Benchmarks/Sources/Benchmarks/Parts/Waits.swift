import Histogram
import Measuring

/// How long each of several things took, in nanoseconds, and the percentiles of all of them.
final class Waits: @unchecked Sendable {
  // The body of a number writes its place once, before that body's counter advances. The places are
  // read when all counters have advanced.
  private let places: UnsafeMutableBufferPointer<Int64>

  init(count: Int) {
    places = .allocate(capacity: count)
    places.initialize(repeating: 0)
  }

  deinit { places.deallocate() }

  func set(_ number: Int, _ nanoseconds: Int64) { places[number] = nanoseconds }

  subscript(number: Int) -> Int64 { places[number] }

  /// The percentiles, in the order of `percents`.
  func percentiles(_ percents: [Double]) -> [Double] {
    var histogram = Histogram<UInt64>(
      highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
    for value in places { histogram.record(UInt64(max(1, value))) }
    return percents.map { Double(histogram.valueAtPercentile($0)) }
  }
}
