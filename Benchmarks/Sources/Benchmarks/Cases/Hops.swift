import Measuring
import UVDispatch

/// An actor that runs on a queue of width 1.
private actor Resident {
  nonisolated let queue: TaskQueue
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.unownedExecutor }
  private var calls = 0

  init(_ queue: TaskQueue) { self.queue = queue }

  func call() { calls += 1 }

  func callOften(_ other: Resident, _ count: Int) async -> Double {
    let began = nanoseconds()
    for _ in 0..<count { await other.call() }
    return Double(nanoseconds() - began) / Double(count)
  }

  func yieldOften(_ count: Int) async -> Double {
    let began = nanoseconds()
    for _ in 0..<count { await Task.yield() }
    return Double(nanoseconds() - began) / Double(count)
  }
}

/// An actor that runs on Swift's own pool.
private actor Free {
  private var calls = 0

  func call() { calls += 1 }

  func callOften(_ other: Free, _ count: Int) async -> Double {
    let began = nanoseconds()
    for _ in 0..<count { await other.call() }
    return Double(nanoseconds() - began) / Double(count)
  }

  func yieldOften(_ count: Int) async -> Double {
    let began = nanoseconds()
    for _ in 0..<count { await Task.yield() }
    return Double(nanoseconds() - began) / Double(count)
  }
}

extension Case {
  /// An actor on the loop's thread calls another actor on the loop's thread.
  static let hops = Case(
    "actor hop", rows: [Row("actor hop on the loop when already there", demanded: [.atMost(100)])]
  ) { effort in
    let ours = try UVForeground()
    let count = effort.count(200_000)
    return [
      Contestant(Contestant.ours) {
        let (one, other) = (
          Resident(ours.dispatcher.foreground), Resident(ours.dispatcher.foreground)
        )
        return blocking { await one.callOften(other, count) }
      },
      Contestant("actor") {
        let (one, other) = (Free(), Free())
        return blocking { await one.callOften(other, count) }
      },
    ]
  }

  /// A Task that prefers the loop's executor yields to the loop. For a Task without that preference, in
  /// an actor on the loop, Swift makes a job for its own pool, which then goes back to the loop.
  static let yields = [
    Case("Task.yield", rows: [Row("Task.yield on the loop", demanded: [.atMost(800)])]) { effort in
      let ours = try UVForeground()
      let count = effort.count(100_000)
      return [
        Contestant(Contestant.ours) {
          blocking(preferring: ours.dispatcher.foreground.executor) { await yieldOften(count) }
        },
        Contestant("default executor") { blocking { await yieldOften(count) } },
      ]
    },
    Case(
      "Task.yield in an actor", rows: [Row("Task.yield in an actor on the loop, no preference")]
    ) { effort in
      let ours = try UVForeground()
      let count = effort.count(10_000)
      return [
        Contestant(Contestant.ours) {
          let one = Resident(ours.dispatcher.foreground)
          return blocking { await one.yieldOften(count) }
        },
        Contestant("actor") {
          let one = Free()
          return blocking { await one.yieldOften(count) }
        },
      ]
    },
  ]
}

private func yieldOften(_ count: Int) async -> Double {
  let began = nanoseconds()
  for _ in 0..<count { await Task.yield() }
  return Double(nanoseconds() - began) / Double(count)
}
