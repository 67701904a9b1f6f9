import TaskDispatch
import Testing

@testable import TaskDispatchTesting

extension OnePool {
  @Suite("The judge's one way")
  struct EveryWayTests {
    @Test("reaches what the search of every way reaches, in what random programs bring about")
    func reachesWhatEveryWayReaches() async throws {
      try await onOtherThread {
        var compared = 0
        for seed in 0..<(ThisProcess.isSanitized ? 5 : 60) {
          var driver = try StageDriver(WaitProgram(seed: seed), limit: .seconds(20))
          driver.run()
          for standing in driver.seen {
            let outlook = Outlook(of: standing, hopes: .everything)
            for context in standing.contexts where context.isWaiting {
              var search = EveryWay(endsWaitOf: context.number)
              let exists = search.exists(from: standing)
              guard search.isExhausted else { continue }
              compared += 1
              #expect(exists == outlook.ends(context), "program \(seed): \(context)\n\(standing)")
            }
          }
        }
        #expect(compared > 20)
      }
    }
  }
}
