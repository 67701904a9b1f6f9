import Dispatch
import Glibc
import Synchronization

/// How many of one producer's bodies have run.
final class Progress: Sendable {
  private let ran = Atomic(0)

  func advance() { ran.add(1, ordering: .releasing) }
  var count: Int { ran.load(ordering: .acquiring) }

  /// Looks for a while, and then lets others have the processor.
  func wait(for count: Int) {
    var looks = 0
    while self.count < count {
      looks += 1
      if looks % 64 == 0 { sched_yield() }
    }
  }
}

/// Nanoseconds a task that `tasks` empty bodies take through `subject`, from `producers` threads that
/// together have at most `window` of them in flight.
func nanosecondsPerTask(
  _ subject: Subject, producers: Int, window: Int, tasks: Int
) -> Double {
  var result = 0.0
  subject.run { submit in
    func produce(_ tasks: Int) {
      let share = window / producers
      let each = tasks / producers
      DispatchQueue.concurrentPerform(iterations: producers) { _ in
        let progress = Progress()
        for number in 0..<each {
          if number >= share { progress.wait(for: number - share + 1) }
          // Two things captured, so that the closure has a context of its own, as real ones have.
          submit { [number] in if number >= 0 { progress.advance() } }
        }
        progress.wait(for: each)
      }
    }
    produce(tasks / 10)
    let start = monotonicNanoseconds()
    produce(tasks)
    result = Double(monotonicNanoseconds() - start) / Double(tasks)
  }
  return result
}

func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
