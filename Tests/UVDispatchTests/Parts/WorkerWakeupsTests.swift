import TestSupport
import Testing

@testable import UVDispatch

@Suite("When a worker run is started, as a value")
struct WorkerWakeupsTests {
  /// The threads that the pool has for a dispatcher, drawn as one letter each:
  /// `.` free, `A` arriving, `S` searching and arrived, `B` busy, `T` telling.
  struct Pool: Sendable, CustomTestStringConvertible {
    let width: Int
    let threads: String
    /// What is true of it: see ``words(of:busy:)``.
    let words: String

    init(_ width: Int, _ threads: String, _ words: String) {
      (self.width, self.threads, self.words) = (width, threads, words)
    }

    var testDescription: String { "width \(width), threads \(threads)" }
    var busy: Int { threads.count { $0 == "B" } }

    /// The value, reached as the dispatcher reaches it.
    var value: WorkerWakeups {
      var workers = WorkerWakeups(width: width, threads: threads.count)
      for thread in threads {
        switch thread {
        case "A", "S": workers.start()
        case "T": workers.beginTelling()
        default: break
        }
        if thread == "S" { workers.arrive() }
      }
      _ = workers.takePending()
      return workers
    }

    static let table = [
      Pool(1, ".", "room start come"),
      Pool(1, "A", "come"),
      Pool(1, "S", "come"),
      Pool(1, "B", "full"),
      Pool(1, "T", ""),
      Pool(1, "A.", "room start come"),
      Pool(1, "B..", "full"),
      Pool(1, "BS", "come full"),
      Pool(1, "T.", "room start come"),
      Pool(2, "..", "room start come"),
      Pool(2, "A.", "room start come another"),
      Pool(2, "S.", "room start come"),
      Pool(2, "AA", "come"),
      Pool(2, "AA.", "room start come"),
      Pool(2, "AS.", "room start come"),
      Pool(2, "SS.", "room start come"),
      Pool(2, "AB", "come"),
      Pool(2, "AB.", "room start come"),
      Pool(2, "B.", "room start come"),
      Pool(2, "BB", "full"),
      Pool(2, "BB.", "full"),
      Pool(2, "BBS", "come full"),
      Pool(2, "BT", ""),
      Pool(2, "BT.", "room start come"),
      Pool(2, "TT", ""),
      Pool(2, "TT.", "room start come"),
      Pool(2, "AT", "come"),
      Pool(2, "AT.", "room start come another"),
      Pool(3, "A..", "room start come another"),
      Pool(3, "AB.", "room start come"),
      Pool(3, "BB.", "room start come"),
      Pool(3, "BBA", "come"),
      Pool(3, "BST", "come"),
      Pool(3, "BBT", ""),
      Pool(3, "BBB", "full"),
    ]
  }

  /// What a thread that asks is told.
  private func words(of workers: WorkerWakeups, busy: Int) -> String {
    var words: [String] = []
    if workers.hasRoom(busy: busy) { words.append("room") }
    if workers.mayStart(busy: busy) { words.append("start") }
    if workers.mayCome(busy: busy) { words.append("come") }
    if workers.wantsAnother(busy: busy) { words.append("another") }
    if workers.isFull(busy: busy) { words.append("full") }
    return words.joined(separator: " ")
  }

  @Test(
    """
    another run has room, may be started, may come for a task or is wanted beside the first, by \
    what the threads of the pool do
    """, arguments: Pool.table)
  func pool(_ pool: Pool) {
    let workers = pool.value

    #expect(words(of: workers, busy: pool.busy) == pool.words)
    #expect(workers.areSearching == pool.threads.contains { "AS".contains($0) })
  }

  @Test(
    "no run is started while other dispatchers have the threads, though it would have room",
    arguments: Pool.table)
  func short(_ pool: Pool) {
    var workers = pool.value
    workers.isShort = true
    let left = pool.words.split(separator: " ").filter { $0 != "start" && $0 != "another" }

    #expect(words(of: workers, busy: pool.busy) == left.joined(separator: " "))

    workers.isShort = false
    #expect(words(of: workers, busy: pool.busy) == pool.words)
  }

  /// How many runs are searching, arriving, pending and telling.
  private func counts(of workers: WorkerWakeups) -> [Int] {
    [workers.searching, workers.arriving, workers.pending, workers.telling]
  }

  @Test("a run is searching, arriving, pending or telling, from its start to its end")
  func life() {
    var workers = WorkerWakeups(width: 3, threads: 3)
    let steps: [(String, (inout WorkerWakeups) -> Void, [Int])] = [
      ("a thread asks for it", { $0.start() }, [1, 1, 1, 0]),
      ("a thread asks for another", { $0.start() }, [2, 2, 2, 0]),
      ("the lock is free", { _ = $0.takePending() }, [2, 2, 0, 0]),
      ("the first comes to the lock", { $0.arrive() }, [2, 1, 0, 0]),
      ("it has looked for a task", { $0.endSearch() }, [1, 1, 0, 0]),
      ("it makes callbacks", { $0.beginTelling() }, [1, 1, 0, 1]),
      ("the second comes to the lock", { $0.arrive() }, [1, 0, 0, 1]),
      ("the first has made its callbacks", { $0.endTelling() }, [1, 0, 0, 0]),
      ("it spins", { $0.beginSearch() }, [2, 0, 0, 0]),
      ("the second has looked", { $0.endSearch() }, [1, 0, 0, 0]),
      ("the first has looked again", { $0.endSearch() }, [0, 0, 0, 0]),
    ]
    for (what, step, expected) in steps {
      step(&workers)
      #expect(counts(of: workers) == expected, "\(what)")
      #expect(workers.hasPending == (expected[2] > 0), "\(what)")
    }
  }

  @Test("the thread that frees the lock takes all pending runs, once")
  func pending() {
    var workers = WorkerWakeups(width: 3, threads: 3)
    for _ in 0..<2 { workers.start() }

    let taken = [workers.takePending(), workers.takePending()]

    #expect(taken == [2, 0])
  }

  /// Whether a run that found nothing may spin.
  struct Spin: Sendable, CustomTestStringConvertible {
    let searching: Int
    let limit: Int64
    let away: Int64
    let isAllowed: Bool

    init(_ searching: Int, _ limit: Int64, _ away: Int64, _ isAllowed: Bool) {
      (self.searching, self.limit, self.away) = (searching, limit, away)
      self.isAllowed = isAllowed
    }

    var testDescription: String { "\(searching) searching, limit \(limit), away \(away)" }
  }

  @Test(
    "a run spins if that has paid, its processor is its own, and fewer than two others search",
    arguments: [
      Spin(0, 0, 0, false), Spin(0, 4_000, 0, true), Spin(1, 4_000, 0, true),
      Spin(2, 4_000, 0, false), Spin(3, 4_000, 0, false), Spin(0, 4_000, 1_201, false),
      Spin(1, 4_000, 1_200, true),
    ])
  func spin(_ spin: Spin) {
    var workers = WorkerWakeups(width: 4, threads: 4)
    workers.spinLimit = SpinLimit(length: spin.limit)
    for _ in 0..<spin.searching { workers.beginSearch() }

    let isAllowed = workers.maySpin(at: 0, away: spin.away)

    #expect(isAllowed == spin.isAllowed)
    #expect(workers.searching == spin.searching)
  }

  private enum Run { case pending, arriving, searching, busy, telling }

  @Test("in a random program, runs are counted by what each of them does", arguments: 1...20)
  func random(seed: Int) {
    var dice = Dice(seed: seed)
    let width = 1 + dice.roll(4)
    let threads = width + dice.roll(3)
    var workers = WorkerWakeups(width: width, threads: threads)
    var runs: [Run] = []
    func number(_ wanted: Run...) -> Int { runs.count { wanted.contains($0) } }

    for step in 0..<500 {
      let busy = number(.busy)
      if workers.mayStart(busy: busy), dice.once(in: 3) {
        runs.append(.pending)
        workers.start()
      } else if dice.once(in: 3) {
        let pending = number(.pending)
        let taken = workers.takePending()
        #expect(taken == pending, "seed \(seed), step \(step)")
        for index in runs.indices where runs[index] == .pending { runs[index] = .arriving }
      } else if !runs.isEmpty {
        let index = dice.roll(runs.count)
        switch runs[index] {
        case .pending: break
        case .arriving:
          workers.arrive()
          runs[index] = .searching
        case .searching:
          workers.endSearch()
          if busy < width { runs[index] = .busy } else { runs.remove(at: index) }
        case .busy:
          runs[index] = .telling
          workers.beginTelling()
        case .telling:
          workers.endTelling()
          if dice.once(in: 2) {
            workers.beginSearch()
            runs[index] = .searching
          } else {
            runs.remove(at: index)
          }
        }
      }
      let expected = [
        number(.pending, .arriving, .searching), number(.pending, .arriving), number(.pending),
        number(.telling),
      ]
      #expect(counts(of: workers) == expected, "seed \(seed), step \(step)")
      #expect(runs.count <= threads, "seed \(seed), step \(step): a run has no thread")
    }
  }
}
