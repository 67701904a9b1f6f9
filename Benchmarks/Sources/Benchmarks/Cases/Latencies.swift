import Glibc
import Measuring

extension Case {
  /// From the submission to the first instruction of the body, for single tasks about every 200 us:
  /// while there is nothing else to do, and while bursts of other work are submitted to the same place.
  static let latencies = [true, false].flatMap { isForeground in
    [false, true].map { isLoaded in
      let name =
        "latency, \(isForeground ? "post to run" : "submit to run") "
        + "\(isLoaded ? "under load" : "idle")"
      return Case(name, rows: percents.map { Row("\(name), p\($0.0)") }) { effort in
        let subjects: [(String, any Subject)] =
          isForeground
          ? [
            (Contestant.ours, try UVForeground()), ("C", CMailbox()), ("NIO", NIOLoop()),
            ("Dispatch", DispatchSubject.serial), ("actor", ActorSubject()),
          ]
          : try workersOfThree() + [
            ("OperationQueue", Operations(width: 3)), ("Task.detached", DetachedTasks()),
          ]
        let count = effort.count(1_000)
        let rounds = Burn.rounds(microseconds: 20)
        return subjects.map { name, subject in
          Contestant(name) { () -> [Double] in
            wait(for: subject, count: count, burst: isLoaded ? 10 : 0, rounds: rounds)
          }
        }
      }
    }
  }

  private static let percents = [("50", 50.0), ("90", 90), ("99", 99), ("99.9", 99.9)]

  /// If `burst` is not 0, another thread submits so many tasks each 400 us: about half of what one
  /// thread can do. The measuring thread does not submit the bursts: the threads that it woke would
  /// interrupt it.
  private static func wait(
    for subject: any Subject, count: Int, burst: Int, rounds: Int
  ) -> [Double] {
    let waits = Waits(count: count)
    let (counter, others) = (Counter(), Counter())
    _ = crew(burst > 0 ? 2 : 1) { member in
      if member == 0 {
        for number in 0..<count {
          // The pause varies, since other activities on the machine have rhythms too.
          usleep(UInt32(150 + number * 37 % 100))
          let began = nanoseconds()
          subject.run {
            waits.set(number, nanoseconds() - began)
            counter.advance()
          }
        }
        counter.waitAsleep(for: count)
      } else {
        var submitted = 0
        while counter.count < count {
          for _ in 0..<burst { subject.submit(others, rounds) }
          submitted += burst
          usleep(400)
          // Waits until all earlier bursts have run, so that a slow subject gets no growing backlog.
          others.waitAsleep(for: submitted - burst)
        }
        others.waitAsleep(for: submitted)
      }
    }
    counter.free()
    others.free()
    return waits.percentiles(percents.map(\.1))
  }
}
