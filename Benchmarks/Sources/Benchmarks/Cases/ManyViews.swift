import CPeers
import Dispatch
import Measuring
import UVDispatch

extension Case {
  /// Ten thousand queues, each of which has run a task.
  static let manyViews = Case(
    "10 000 views",
    rows: [
      Row("10 000 views, making and using one"),
      Row("10 000 views, memory of one", unit: .bytes),
    ]
  ) { effort in
    let ours = try UVBackground(width: 3)
    let count = 10_000
    return [
      Contestant(Contestant.ours) { () -> [Double] in
        measure(count) { counter in
          (0..<count).map { _ in
            let view = ours.dispatcher.makeQueue(label: "view", width: 1)
            view { counter.advance() }
            return view
          }
        }
      },
      Contestant("Dispatch") { () -> [Double] in
        measure(count) { counter in
          (0..<count).map { _ in
            let queue = DispatchQueue(label: "queue")
            queue.async { counter.advance() }
            return queue
          }
        }
      },
    ]
  }

  /// Nanoseconds and bytes a queue. Memory that stays allocated for tasks that have run does not belong
  /// to the queues.
  private static func measure<Queue>(_ count: Int, _ make: (Counter) -> [Queue]) -> [Double] {
    let counter = Counter()
    defer { counter.free() }
    var queues: [Queue] = []
    let before = cpeers_allocated_bytes()
    let cost = timed {
      queues = make(counter)
      counter.wait(for: count)
    }
    let bytes = cpeers_allocated_bytes() - before - queues.capacity * MemoryLayout<Queue>.stride
    return withExtendedLifetime(queues) { [cost / Double(count), Double(bytes) / Double(count)] }
  }
}
