import Dispatch
import Measuring
import UVDispatch

extension Case {
  /// Readers that may overlap, with a writer that runs alone in each sixteenth place. Bodies are empty,
  /// or take a microsecond.
  static let barriers = [0.0, 1.0].map { microseconds in
    let row = Row(
      "readers and 1/16 writers\(microseconds == 0 ? "" : ", 1 us each"), a task")
    return Case(row.name, rows: [row]) { effort in
      let ours = try UVBackground(width: 3)
      let view = ours.dispatcher.makeQueue(label: "view", width: 3)
      let dispatch = DispatchSubject.concurrent
      let rounds = microseconds == 0 ? 0 : Burn.rounds(microseconds: microseconds)
      let count = effort.count(100_000)
      return [
        Contestant(Contestant.ours) {
          readAndWrite(count, rounds) { isWriter, counter in
            if isWriter {
              view.barrier { work(rounds, counter) }
            } else {
              view { work(rounds, counter) }
            }
          }
        },
        Contestant("Dispatch") {
          readAndWrite(count, rounds) { isWriter, counter in
            if isWriter {
              dispatch.queue.async(flags: .barrier) { work(rounds, counter) }
            } else {
              dispatch.queue.async { work(rounds, counter) }
            }
          }
        },
      ]
    }
  }

  /// Keeps 1024 tasks in flight.
  private static func readAndWrite(
    _ count: Int, _ rounds: Int, _ submit: (_ isWriter: Bool, Counter) -> Void
  ) -> Double {
    let counter = Counter()
    defer { counter.free() }
    var seen = 0
    return timed {
      for number in 0..<count {
        if number - seen >= 1024 { seen = counter.wait(for: number - 1023) }
        submit(number % 16 == 15, counter)
      }
      counter.wait(for: count)
    } / Double(count)
  }
}
