import Glibc
import Measuring

extension Case {
  /// Three bodies that sleep for a millisecond, after all workers were asleep. The bodies must overlap.
  static let sleeps = Case(
    "3 x 1 ms sleeps after idle",
    rows: [Row("3 x 1 ms sleeps after idle, p50", demanded: [.atMost(1_300_000)])]
  ) { effort in
    try workersOfThree().map { name, subject in
      Contestant(name) {
        Statistics.median(
          (0..<effort.count(30)).map { _ in
            usleep(10_000)
            let counter = Counter()
            defer { counter.free() }
            return timed {
              for _ in 0..<3 {
                subject.run {
                  usleep(1_000)
                  counter.advance()
                }
              }
              counter.wait(for: 3)
            }
          })
      }
    }
  }

  /// Empty tasks that were submitted behind a long one. They must not wait for it.
  static let behindBlocker = Case(
    "200 empties behind a 5 ms blocker",
    rows: [Row("200 empties behind a 5 ms blocker, p50", demanded: [.atMost(250_000)])]
  ) { effort in
    try workersOfThree().map { name, subject in
      Contestant(name) {
        Statistics.median(
          (0..<effort.count(30)).map { _ in
            let (blocker, empties) = (Counter(), Counter())
            subject.run {
              usleep(5_000)
              blocker.advance()
            }
            let cost = timed {
              for _ in 0..<200 { subject.submit(empties, 0) }
              empties.wait(for: 200)
            }
            blocker.waitAsleep(for: 1)
            usleep(2_000)
            blocker.free()
            empties.free()
            return cost
          })
      }
    }
  }

  /// Every subject that has workers, with three of them.
  static func workersOfThree() throws -> [(String, any Subject)] {
    [
      (Contestant.ours, try UVBackground(width: 3)), ("C", CPool(width: 3)),
      ("NIO", NIOPool(width: 3)), ("Dispatch", DispatchSubject.concurrent),
    ]
  }
}
