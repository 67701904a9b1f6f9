import Testing

@testable import Spool

@Suite("A duration in a setting")
struct DurationTextTests {
  @Test(
    "is a number with a unit",
    arguments: [
      ("100ms", Duration.milliseconds(100)), ("1.5s", .milliseconds(1_500)), ("0s", .zero),
      ("2min", .seconds(120)), ("0.5h", .seconds(1_800)), ("007s", .seconds(7)),
      ("0.000001ms", .nanoseconds(1)), ("8784h", .seconds(8_784 * 3_600)),
    ])
  func isRead(text: String, duration: Duration) {
    #expect(DurationText.duration(text) == duration)
  }

  @Test(
    "is nothing else",
    arguments: [
      "", "s", "1", "1 s", "-1s", "+1s", "1e3s", ".s", ".5s", "1.s", "1.2.3s", "1S", "1sec",
      "1.0000000001s",
      "8785h", "99999999999999999999s", "9223372036854775807h", "٣s", "1s ", "0x1s",
    ])
  func isRefused(text: String) {
    #expect(DurationText.duration(text) == nil)
  }

  @Test("is written so that it is read as the same")
  func roundTrips() {
    for milliseconds in [
      0, 1, 20, 999, 1_000, 1_500, 59_999, 60_000, 90_000, 3_600_000, 86_400_000,
    ] {
      let duration = Duration.milliseconds(milliseconds)
      let text = DurationText.text(of: duration)
      #expect(DurationText.duration(text) == duration, "\(text)")
    }
    #expect(DurationText.text(of: .seconds(90)) == "90s")
    #expect(DurationText.text(of: .seconds(7_200)) == "2h")
    #expect(DurationText.text(of: .microseconds(1_500)) == "1.500ms")
  }
}
