import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

@Suite("How long a lease that has run out of tasks looks for another")
struct PatienceTests {
  private let bare = BareCore()
  private var core: Core { bare.core }

  /// Starts a lease for a task that comes `gap` nanoseconds after the last one began to look.
  private func startLease(after gap: Int64) {
    core.lastSearchBegan = core.now - gap
    core.searching = 0
    core.settle()
    #expect(core.leaseIsOwed)
    core.leaseIsOwed = false
  }

  @Test("is nothing at first")
  func atFirst() {
    bare.queued()

    core.settle()

    #expect(core.leaseIsOwed)
    #expect(core.patience == 0)
  }

  @Test("is four microseconds if that would have met the task for which a lease is started")
  func worthIt() {
    bare.queued()

    startLease(after: 3_999)

    #expect(core.patience == 4_000)
  }

  @Test("is halved each time that it would not have, until it is nothing")
  func inVain() {
    bare.queued()
    startLease(after: 0)

    var lengths: [Int64] = []
    while core.patience > 0, lengths.count < 20 {
      startLease(after: 4_000)
      lengths.append(core.patience)
    }

    #expect(lengths.prefix(3) == [2_000, 1_000, 500])
    #expect(lengths.last == 0)
  }
}

extension OnePool {
  @Suite("A lease that has run out of tasks")
  struct LeaseEndTests {
    @Test(
      "notes when it looked in vain, or would have", arguments: [0, 1_000_000] as [Int64])
    func notes(patience: Int64) throws {
      let dispatcher = try UVDispatcher()
      dispatcher.withCore { core in
        core.patience = patience
        core.lastSearchBegan = 1
      }

      dispatcher.background {}

      dispatcher.waitUntil { $0.ledger.completed == 1 && $0.lastSearchBegan > 1 }
    }
  }
}
