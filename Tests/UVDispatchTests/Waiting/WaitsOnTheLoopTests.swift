import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("What waits on the thread of the loop")
  struct WaitsOnTheLoopTests {
    private let dispatcher: UVDispatcher
    private let hasWaited = Latch()
    private let answer = Box<String?>(nil)

    init() throws { dispatcher = try UVDispatcher() }

    private func note(_ wait: () throws -> Void) {
      do {
        try wait()
        answer.value = "went on"
      } catch WaitRefusal.wouldDeadlock {
        answer.value = "would deadlock"
      } catch { answer.value = "\(error)" }
      hasWaited.open()
    }

    @Test(
      "in a callback is told that only the loop could run what it waits for",
      arguments: [false, true])
    func callback(standsBehind: Bool) throws {
      let group = WorkGroup()
      let ran = Latch()
      dispatcher.foreground.async(group: group) {}
      let behind = standsBehind ? dispatcher.foreground.submit { ran.open() } : nil
      group.whenEmpty { [dispatcher] in
        let awaited = behind ?? dispatcher.foreground.submit { ran.open() }
        note { _ = try awaited.wait() }
      }

      try dispatcher.start()

      #expect(hasWaited.wait(patience))
      #expect(answer.value == "would deadlock")
      #expect(ran.wait(patience))
      dispatcher.end()
    }

    @Test("in a body is told that only the loop could come to the timer of the group")
    func timer() throws {
      let (group, ran) = (WorkGroup(), Latch())
      dispatcher.foreground { [dispatcher] in
        dispatcher.foreground.after(.milliseconds(1), group: group) { ran.open() }
        note { try group.wait() }
      }

      try dispatcher.start()

      #expect(hasWaited.wait(patience))
      #expect(answer.value == "would deadlock")
      #expect(ran.wait(patience))
      dispatcher.end()
    }
  }
}
