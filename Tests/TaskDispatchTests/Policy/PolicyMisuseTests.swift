import Testing

@testable import TaskDispatch

@Suite("Misusing the policy")
struct PolicyMisuseTests {
  @Test("traps when an aging step would last no time")
  func trapsOnAgingStepOfZero() async {
    await #expect(processExitsWith: .failure) { _ = ReadyQueue<Int>(agingStep: 0) }
  }

  @Test("traps when a view would run nothing")
  func trapsOnWidthZero() async {
    await #expect(processExitsWith: .failure) {
      _ = ViewQueue<Job>(width: 0, workerWidth: 1, agingStep: 1)
    }
    await #expect(processExitsWith: .failure) {
      _ = ViewQueue<Job>(width: 1, workerWidth: 0, agingStep: 1)
    }
    await #expect(processExitsWith: .failure) { _ = PoolOrder<Job>(width: 0, agingStep: 1) }
  }

  @Test("traps on a resume without a suspend before it")
  func trapsOnResumeWithoutSuspend() async {
    await #expect(processExitsWith: .failure) {
      var view = ViewQueue<Job>(width: 1, workerWidth: 1, agingStep: 1)
      view.suspend()
      _ = view.resume()
      _ = view.resume()
    }
  }

  @Test("traps when a ring that holds something is rebased")
  func trapsOnRebase() async {
    await #expect(processExitsWith: .failure) {
      var ring = Ring<Int>()
      ring.append(0)
      ring.rebase(at: 7)
    }
  }

  @Test("traps when a tombstone of a ring is read or changed")
  func trapsOnDeadSlot() async {
    await #expect(processExitsWith: .failure) {
      var ring = Ring<Int>()
      ring.append(0)
      _ = ring.remove(at: 0)
      ring.withElement(at: 0) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      var ring = Ring<Int>()
      ring.append(0)
      ring.update(at: 1) { $0 += 1 }
    }
  }
}
