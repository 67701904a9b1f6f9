import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("The watchdog")
  struct ParkedWatchdogTests {
    @Test("that has parked is woken by the next body, and tells of it")
    func woken() throws {
      let observer = StallNotes(1)
      let dispatcher = try UVDispatcher(
        .init(stallThresholds: .init(.milliseconds(10)), observer: observer))
      dispatcher.waitUntil { $0.stalls.isParked }

      dispatcher.background.async(label: "stuck") { _ = observer.enough.wait(patience) }

      #expect(observer.enough.wait(patience))
      dispatcher.runUntilIdle()
    }

    @Test("tells of the same body again only when the time that it has held its thread has doubled")
    func doubling() throws {
      let observer = StallNotes(6)
      let dispatcher = try UVDispatcher(
        .init(stallThresholds: .init(.milliseconds(10)), observer: observer))

      dispatcher.background.async(label: "stuck") { _ = observer.enough.wait(patience) }

      #expect(observer.enough.wait(patience))
      dispatcher.runUntilIdle()
      for (number, held) in observer.held.value.prefix(6).enumerated() {
        #expect(held >= .milliseconds(10 << number))
      }
    }
  }
}

private final class StallNotes: TaskObserver {
  let enough: Latch
  let held = Box([Duration]())

  init(_ count: Int) { enough = Latch(count) }

  func observe(_ event: TaskEvent) {
    guard case .stalled(let duration) = event.kind else { return }
    held.change { $0.append(duration) }
    enough.open()
  }
}
