import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("The observer and its watchdog, as a value")
struct ObservationTests {
  private final class Deaf: TaskObserver {
    func observe(_ event: TaskEvent) {}
  }

  @Test("there is something to tell if there is an observer, until the end and after it")
  func observer() {
    let observer = Deaf()
    var (with, without) = (Observation(observer), Observation(nil))
    #expect(with.isOn && !without.isOn)
    #expect(with.observer as? Deaf === observer && without.observer == nil)

    let taken = [with.takeObserver(), with.takeObserver(), without.takeObserver()]

    #expect(taken.map { $0 as? Deaf === observer } == [true, false, false])
    #expect(with.observer == nil)
    // Code that has asked whether to tell finds no observer, and tells nothing.
    #expect(with.isOn && !without.isOn)
  }

  /// Steps of the watchdog's thread and of threads that start bodies, and which starts wake the watchdog.
  @Test(
    "the first body that starts while the watchdog sleeps wakes it, and the next does not",
    arguments: [
      ("s", "-"), ("ps", "-"), ("ws", "-"), ("wps", "W"), ("pws", "W"), ("wpss", "W-"),
      ("wpsps", "WW"), ("wpps", "W"), ("wspss", "-W-"),
    ])
  func watchdog(steps: String, wakes: String) {
    var observation = Observation(Deaf())
    var found = ""
    var calls = 0
    for step in steps {
      switch step {
      case "w": observation.setWatchdog { calls += 1 }
      case "p": observation.parkWatchdog()
      default:
        let wake = observation.unparkWatchdog()
        found += wake == nil ? "-" : "W"
        wake?()
      }
    }

    #expect(found == wakes)
    #expect(calls == wakes.count { $0 == "W" }, "its thread is woken when the lock is free")
    // Without a watchdog, none is woken and none is said to be awake.
    #expect(observation.watchdogIsParked == (steps == "ps"))
  }
}
