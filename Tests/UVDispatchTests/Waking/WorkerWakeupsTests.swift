import Testing

@testable import UVDispatch

@Suite("When a worker run is started, as a value")
struct WorkerWakeupsTests {
  @Test("a run that is started searches, is on its way, and is taken once")
  func start() {
    var workers = WorkerWakeups(width: 3, threads: 3)
    workers.start()
    #expect((workers.searching, workers.arriving, workers.pending) == (1, 1, 1))
    let (first, second) = (workers.takePending(), workers.takePending())
    #expect((first, second) == (1, 0))
    workers.arrive()
    #expect((workers.searching, workers.arriving) == (1, 0))
    workers.endSearch()
    #expect(workers.searching == 0)
  }

  /// What a second start depends on.
  struct Case: Sendable, CustomTestStringConvertible {
    let width: Int
    let searching: Int
    let arriving: Int
    let busy: Int

    var testDescription: String {
      "width \(width), \(searching) searching, \(arriving) arriving, \(busy) busy"
    }

    static let all: [Case] = [1, 2, 3].flatMap { width in
      (0...2).flatMap { searching in
        (0...searching).flatMap { arriving in
          (0...1).map { busy in
            Case(width: width, searching: searching, arriving: arriving, busy: busy)
          }
        }
      }
    }
  }

  @Test(
    "a second run is wanted beside one that is on its way, where two may run and none is busy",
    arguments: Case.all)
  func second(_ now: Case) {
    var workers = WorkerWakeups(width: now.width, threads: now.width + 2)
    for _ in 0..<now.searching { workers.start() }
    for _ in 0..<(now.searching - now.arriving) { workers.arrive() }
    _ = workers.takePending()

    let isWanted =
      now.width > 1 && now.searching == 1 && now.arriving == 1 && now.busy == 0
    #expect(workers.wantsAnother(busy: now.busy) == isWanted)
    workers.isShort = true
    #expect(!workers.wantsAnother(busy: now.busy))
  }

  @Test("no run starts while other dispatchers have the threads, though there is room for one")
  func short() {
    var workers = WorkerWakeups(width: 2, threads: 2)
    #expect(workers.mayStart(busy: 1))
    workers.isShort = true
    #expect(!workers.mayStart(busy: 1))
    #expect(workers.hasRoom(busy: 1))
    #expect(!workers.hasRoom(busy: 2))
  }

  @Test("a run spins if that would have helped the last time, and two runs at most do")
  func spinning() {
    var workers = WorkerWakeups(width: 3, threads: 3)
    func maySpin(away: Int64 = 0) -> Bool { workers.maySpin(at: 0, away: away) }
    #expect(!maySpin())
    workers.spinLimit = SpinLimit(length: SpinLimit.longest)
    for _ in 0..<WorkerWakeups.mostSearching {
      #expect(maySpin())
      workers.beginSearch()
    }
    #expect(!maySpin())
    workers.endSearch()
    #expect(maySpin())
    #expect(!maySpin(away: SpinLimit.longestAway + 1))
  }
}
