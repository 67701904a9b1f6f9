import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("The watch for stalls, as a value")
struct StallWatchTests {
  /// Looks at the tasks with these numbers, and says for how long each that is told of has run, in milliseconds.
  private static func look(
    _ watch: inout StallWatch, at time: Int64, _ tasks: [UInt64], on lane: Lane = .background,
    numbered: UInt64 = 0
  ) -> (told: [UInt64: Int64], next: Int64?) {
    watch.beginLook()
    var told: [UInt64: Int64] = [:]
    for task in tasks {
      let held = watch.see(.task(task), on: lane, since: nil, at: time * 1_000_000)
      if let held { told[task] = held / 1_000_000 }
    }
    let next = watch.endLook(numbered: numbered, at: time * 1_000_000)
    return (told, next.map { $0 / 1_000_000 })
  }

  @Test("tells of a body after its threshold, and again each time that its time has doubled")
  func doubling() {
    var watch = StallWatch(StallThresholds(.milliseconds(10)))
    var told: [Int64] = []
    for time in Int64(0)...100 {
      if let held = Self.look(&watch, at: time, [1]).told[1] { told.append(held) }
    }
    #expect(told == [10, 20, 40, 80])
  }

  @Test("tells once of several doublings that lie between two looks")
  func lateLook() {
    var watch = StallWatch(StallThresholds(.milliseconds(10)))
    var told: [Int64] = []
    for time: Int64 in [0, 70, 79, 80, 159, 160] {
      if let held = Self.look(&watch, at: time, [1]).told[1] { told.append(held) }
    }
    #expect(told == [70, 80, 160])
  }

  @Test("has thresholds of their own for the loop and for workers")
  func lanes() {
    var watch = StallWatch(StallThresholds(loop: .milliseconds(10), workers: .milliseconds(50)))
    var told: [String] = []
    for time in stride(from: Int64(0), through: 60, by: 5) {
      watch.beginLook()
      for (number, lane) in [(UInt64(1), Lane.foreground), (2, .background)] {
        let held = watch.see(.task(number), on: lane, since: nil, at: time * 1_000_000)
        if let held { told.append("\(lane) \(held / 1_000_000)") }
      }
      _ = watch.endLook(numbered: 0, at: time * 1_000_000)
    }
    #expect(told == ["foreground 10", "foreground 20", "foreground 40", "background 50"])
  }

  @Test("tells nothing of bodies that change between two looks, however long it looks")
  func changing() {
    var watch = StallWatch(StallThresholds(.milliseconds(10)))
    for time in Int64(0)...1000 {
      #expect(Self.look(&watch, at: time * 9, [UInt64(time)]).told.isEmpty)
    }
    #expect(watch.toldCount == 0)
  }

  @Test("a body and callbacks with the same number are two")
  func callbacks() {
    var watch = StallWatch(StallThresholds(.milliseconds(10)))
    var told: [Int64?] = []
    for (time, occupant) in [
      (0, StallWatch.Occupant.task(1)), (9, .callbacks(1)), (18, .callbacks(1)),
    ] {
      watch.beginLook()
      told.append(
        watch.see(occupant, on: .foreground, since: nil, at: Int64(time) * 1_000_000))
      _ = watch.endLook(numbered: 0, at: Int64(time) * 1_000_000)
    }
    #expect(told == [nil, nil, nil])
  }

  @Test("counts from the start of the body, if that is known")
  func knownStart() {
    var watch = StallWatch(StallThresholds(.milliseconds(10)))
    watch.beginLook()
    #expect(watch.see(.task(1), on: .foreground, since: 3, at: 10_000_003) == 10_000_000)
  }

  @Test("says how long a stall has lasted in all, once, and only if it was told of")
  func end() {
    var watch = StallWatch(StallThresholds(.milliseconds(10)))
    _ = Self.look(&watch, at: 0, [1, 2])
    _ = Self.look(&watch, at: 12, [1])
    #expect(watch.toldCount == 1)
    #expect(watch.end(.task(2), at: 13_000_000) == nil)
    #expect(watch.end(.task(1), at: 13_000_000) == 13_000_000)
    #expect(watch.end(.task(1), at: 14_000_000) == nil)
    #expect(watch.toldCount == 0)
  }

  @Test(
    "looks twice in the shorter threshold, sooner if a body is due, and never more than once a millisecond",
    arguments: [
      (StallThresholds(loop: .milliseconds(40), workers: .seconds(1)), 20),
      (StallThresholds(loop: .seconds(1), workers: .milliseconds(30)), 15),
      (StallThresholds(.nanoseconds(1)), 1), (StallThresholds(.seconds(Int64.max)), nil),
    ] as [(StallThresholds, Int64?)])
  func period(thresholds: StallThresholds, period: Int64?) {
    var watch = StallWatch(thresholds)
    let next = Self.look(&watch, at: 0, [1]).next
    if let period { #expect(next == min(period, 40)) } else { #expect(next! > 1 << 40) }
  }

  @Test(
    "parks after a look at which nothing runs, unless something has started since the look before")
  func parking() {
    var watch = StallWatch(StallThresholds(.milliseconds(10)))
    #expect(Self.look(&watch, at: 0, [], numbered: 3).next == 5)
    #expect(!watch.isParked)
    #expect(Self.look(&watch, at: 5, [], numbered: 3).next == nil)
    #expect(watch.isParked)
    watch.unpark()
    #expect(!watch.isParked)
    #expect(Self.look(&watch, at: 6, [4], numbered: 4).next == 11)
    #expect(!watch.isParked)
    // All that runs is known. The next look is due when the body has to be told of.
    #expect(Self.look(&watch, at: 11, [4], numbered: 4).next == 16)
    #expect(watch.isParked)
    // A body that had its number before.
    #expect(Self.look(&watch, at: 12, [4, 3], numbered: 4).next == 16)
    #expect(!watch.isParked)
    #expect(Self.look(&watch, at: 13, [], numbered: 4).next == nil)
    #expect(watch.isParked)
  }

  @Test("keeps what is over until it is taken out, once")
  func ended() {
    var watch = StallWatch(StallThresholds(.milliseconds(10)))
    for nanoseconds in [11, 12] as [Int64] {
      watch.append(
        ended: .init(
          occupant: .task(1), task: nil, lane: .foreground, thread: ThreadID(),
          nanoseconds: nanoseconds, isOver: true,
          time: .start))
    }
    watch.beginLook()
    #expect(watch.takeEnded().map(\.nanoseconds) == [11, 12])
    #expect(watch.takeEnded().isEmpty)
  }
}
