import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A duration in words")
struct DurationTextTests {
  /// Nanoseconds, and how people write such a duration.
  private static let shortTexts: [(Int64, String)] = [
    (0, "0 s"), (1, "1 ns"), (999, "999 ns"), (1_000, "1 us"), (1_249, "1.2 us"),
    (1_250, "1.3 us"), (9_949, "9.9 us"), (9_950, "10 us"), (12_000, "12 us"),
    (999_000, "999 us"), (999_499, "999 us"), (999_500, "1 ms"), (1_200_000, "1.2 ms"),
    (20_000_000, "20 ms"), (999_000_000, "999 ms"), (999_600_000, "1 s"),
    (1_500_000_000, "1.5 s"), (2_000_000_000, "2 s"), (19_995_469_695, "20 s"),
    (119_000_000_000, "119 s"), (119_499_000_000, "119 s"), (119_500_000_000, "2 min"),
    (125_000_000_000, "2 min 5 s"), (7_199_000_000_000, "119 min 59 s"),
    (7_199_500_000_000, "2 h"), (7_200_000_000_000, "2 h"), (7_260_000_000_000, "2 h 1 min"),
    (172_740_000_000_000, "47 h 59 min"), (172_800_000_000_000, "2 d"),
    (273_600_000_000_000, "3 d 4 h"), (-125_000_000_000, "-2 min 5 s"), (-1_200_000, "-1.2 ms"),
  ]

  /// Nanoseconds, and a text that leaves none of them out.
  private static let exactTexts: [(Int64, String)] = [
    (0, "0 s"), (1, "1 ns"), (1_250, "1.25 us"), (250_000, "250 us"), (20_000_000, "20 ms"),
    (1_500_000_000, "1.5 s"), (1_000_000_001, "1.000000001 s"), (3_600_000_000_000, "3600 s"),
    (-1_500_000_000, "-1.5 s"),
  ]

  @Test("is written as people write it", arguments: shortTexts)
  func short(nanoseconds: Int64, text: String) {
    #expect(Duration.nanoseconds(nanoseconds).shortText == text)
  }

  @Test("is written exactly where it has to be told from another", arguments: exactTexts)
  func exact(nanoseconds: Int64, text: String) {
    #expect(Duration.nanoseconds(nanoseconds).exactText == text)
  }

  @Test("has words at both ends of what can be said")
  func ends() {
    #expect(Duration(attoseconds: 1).shortText == "0 ns")
    #expect(Duration(attoseconds: 1).exactText == "0.000000001 ns")
    let longest = Duration(attoseconds: .max)
    #expect(longest.exactText == "170141183460469231731.687303715884105727 s")
    #expect(longest.shortText == "1969226660422097 d 14 h")
    #expect(Duration.seconds(Int64.min).exactText == "-9223372036854775808 s")
    #expect(!Duration(attoseconds: .min).shortText.isEmpty)
  }

  @Test("is what instants are called, and never is the distant future")
  func instants() {
    #expect("\(DispatcherInstant(nanoseconds: 1_500_000_000))" == "1.5 s")
    #expect("\(DispatcherInstant.start)" == "0 s")
    #expect("\(DispatcherInstant.distantFuture)" == "never")
  }
}
