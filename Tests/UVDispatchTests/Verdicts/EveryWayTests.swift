import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

extension OnePool {
  @Suite("The checker's one way")
  struct EveryWayTests {
    @Test("reaches what the search of every way reaches, in what random programs bring about")
    func reachesWhatEveryWayReaches() async throws {
      try await onOtherThread {
        var compared = 0
        for seed in 0..<(ThisProcess.isSanitized ? 5 : 60) {
          var driver = try StageDriver(WaitProgram(seed: seed), limit: .seconds(20))
          driver.run()
          for state in driver.seen {
            let outlook = Outlook(of: state, hopes: .everything)
            for context in state.contexts where context.isWaiting {
              var search = EveryWay(endsWaitOf: context.number)
              let exists = search.exists(from: state)
              guard search.isExhausted else { continue }
              compared += 1
              #expect(exists == outlook.ends(context), "program \(seed): \(context)\n\(state)")
            }
          }
        }
        #expect(compared > 20)
      }
    }
  }
}
