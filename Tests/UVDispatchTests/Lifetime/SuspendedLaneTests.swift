import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// `TaskQueue` traps as well. These calls go past it.
@Suite("The foreground and the background are not")
struct SuspendedLaneTests {
  private static func dispatcher(isFake: Bool) throws -> any DispatcherImplementation {
    isFake ? RecordingDispatcher() : try UVDispatcher()
  }

  @Test("suspended by a call of the dispatcher", arguments: Lane.allCases, [false, true])
  func suspendsLane(lane: Lane, isFake: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [number = lane.rawValue as UInt8, isFake] in
      let dispatcher = try Self.dispatcher(isFake: isFake)
      dispatcher.suspend(TaskQueue(dispatcher: dispatcher, lane: Lane(rawValue: number)!))
    }
    let said =
      "\(lane) cannot be suspended: all code of the process shares it; suspend a view instead"
    #expect(result?.said(said) == true)
  }

  @Test("resumed by a call of the dispatcher", arguments: Lane.allCases, [false, true])
  func resumesLane(lane: Lane, isFake: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [number = lane.rawValue as UInt8, isFake] in
      let dispatcher = try Self.dispatcher(isFake: isFake)
      dispatcher.resume(TaskQueue(dispatcher: dispatcher, lane: Lane(rawValue: number)!))
    }
    #expect(result?.said("\(lane) was never suspended") == true)
  }
}
