import Foundation
import TaskDispatchTesting
import Testing

@testable import UVDispatch

@Suite("A loop on the main thread")
struct MainQueueTests {
  @Test(
    "serves DispatchQueue.main and the main actor",
    arguments: [
      "hops", "endless", "language", "foreground", "timers", "waiting", "awaiter",
      "unserved-awaiter", "late",
      "unserved", "elsewhere", "until-idle", "inside", "inside-wake", "inside-awaiter", "stall",
      "no-descriptors", "another-loop", "late-job",
    ])
  func serves(_ program: String) throws {
    #expect(try MainThreadHost(program).complaint() == nil)
  }

  #if DEBUG
    @Test("leaves to the next one what it has heard of and not run")
    func handsOn() throws {
      #expect(try MainThreadHost("handed-on").complaint() == nil)
    }
  #endif

  @Test("comes back to it when a late job of the foreground has ended")
  func lateJob() throws {
    let host = try MainThreadHost("late-job-awaiter")
    let thread = KernelThread(try #require(pid_t(host.readLine())), of: host.identifier)
    #expect(thread.waitUntilItSleeps())
    host.write("end")
    #expect(try host.complaint() == nil)
  }

  @Test("sleeps when nothing waits there any more")
  func rests() throws {
    let host = try MainThreadHost("idle")
    let thread = KernelThread(try #require(pid_t(host.readLine())), of: host.identifier)
    #expect(thread.waitUntilItSleeps())
    let before = thread.switches
    // The measurement itself needs this wait.
    _ = Latch().wait(.seconds(1))
    #expect(thread.switches == before)
    host.write("end")
    #expect(try host.complaint() == nil)
  }
}
