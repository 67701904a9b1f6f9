import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("The code that is told what happens, as a value")
struct ObservationTests {
  private final class Deaf: TaskObserver {
    func observe(_ event: TaskEvent) {}
  }

  private static func observation(_ observer: (any TaskObserver)?) -> Observation {
    Observation(observer, StallWatch(StallThresholds()))
  }

  @Test("there is something to tell if there is an observer, until the end and after it")
  func observer() {
    let observer = Deaf()
    var (with, without) = (Self.observation(observer), Self.observation(nil))
    #expect(with.isOn && !without.isOn)
    #expect(with.observer as? Deaf === observer && without.observer == nil)

    let taken = [with.takeAll(), with.takeAll(), without.takeAll()]

    #expect(taken.map { $0.contains { $0 === observer } } == [true, false, false])
    #expect(with.observer == nil)
    // Code that has asked whether to tell finds no observer, and tells nothing.
    #expect(with.isOn && !without.isOn)
  }

  @Test("receivers of stalls stay in order, until one is removed or the dispatcher ends")
  func receivers() {
    var observation = Self.observation(nil)
    let receivers = (0..<3).map { _ in StallReceiver { _ in } }
    for receiver in receivers { observation.add(receiver) }
    observation.remove(receivers[1])

    #expect(
      observation.stallReceivers.map(ObjectIdentifier.init)
        == [receivers[0], receivers[2]].map(ObjectIdentifier.init))
    #expect(observation.takeAll().count == 2)
    #expect(observation.stallReceivers.isEmpty)
  }
}
