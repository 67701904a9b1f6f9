import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

@Suite("Who is fetched for a second body")
struct SecondLeaseTests {
  private let bare: BareCore
  private var core: Core { bare.core }

  init() { bare = BareCore(width: 2) }

  /// Whether another lease is owed, now that somebody posts who was told to fetch one.
  private func fetchesAnother(_ bare: BareCore? = nil) -> Bool {
    let core = (bare ?? self.bare).core
    core.leaseIsOwed = false
    core.fetchAnother()
    core.settle()
    return core.leaseIsOwed
  }

  /// Puts something in for which a lease is started.
  private func startLease(_ bare: BareCore? = nil) {
    let bare = bare ?? self.bare
    bare.queued()
    bare.core.settle()
    #expect(bare.core.leaseIsOwed)
    #expect(bare.core.arriving == 1)
  }

  @Test("is one more, beside the lease that is on its way")
  func second() {
    startLease()

    #expect(fetchesAnother())

    #expect(core.searching == 2)
    #expect(core.arriving == 2)
    #expect(!fetchesAnother())

    // One has come, and looks for something.
    core.arriving -= 1
    #expect(!fetchesAnother())
    _ = core.releaseEverything()
  }

  @Test("is nobody once the first has come: it starts the next itself")
  func firstHasCome() {
    startLease()
    core.arriving -= 1

    #expect(!fetchesAnother())
    _ = core.releaseEverything()
  }

  @Test("is nobody while somebody works, who would go on with it")
  func somebodyWorks() {
    bare.queued()
    let body = core.startOnWorker(core.makeFrame(on: .background))!
    startLease()

    #expect(!fetchesAnother())

    core.finish(body, .completed)
    _ = core.releaseEverything()
  }

  @Test("is nobody where only one body may run")
  func one() {
    let bare = BareCore(width: 1)
    startLease(bare)

    #expect(!fetchesAnother(bare))
    #expect(bare.background.beginPost())
    #expect(bare.background.post(.plainOne {}))
    #expect(bare.background.beginPost())
    #expect(!bare.background.post(.plainOne {}))
    _ = bare.core.releaseEverything()
  }
}

extension OnePool {
  @Suite("Two bodies that are posted one after the other")
  struct TwoPostsTests {
    @Test(
      "fetch two threads, before one of them has come", arguments: [false, true], [false, true])
    func two(isMade: Bool, hasHandle: Bool) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      let queue =
        isMade ? dispatcher.makeQueue(label: "made", width: 2) : dispatcher.background
      let gate = Latch()
      let held = Latch(try ThreadPool.threads())
      for _ in 0..<(try ThreadPool.threads()) {
        Leases.start {
          held.open()
          _ = gate.wait(patience)
        }
      }
      #expect(held.wait(patience))

      let together = Latch(2)
      let counts = (0..<3).map { _ in
        if hasHandle { queue.submit { together.open() } } else { queue { together.open() } }
        return dispatcher.withCore { [$0.searching, $0.arriving] }
      }

      #expect(counts == [[1, 1], [2, 2], [2, 2]])
      gate.open()
      dispatcher.waitUntil {
        $0.ledger.completed == 3 && $0.arriving == 0 && $0.searching == 0
      }
    }
  }
}
