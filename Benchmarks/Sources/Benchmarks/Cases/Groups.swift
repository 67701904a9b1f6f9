import Dispatch
import Measuring
import UVDispatch

extension Case {
  /// Empty tasks of a group on workers, and a wait for all of them.
  static let groups = Case("group of 10 000", rows: [Row("group of 10 000 tasks, a task")]) {
    effort in
    let ours = try UVBackground(width: 3)
    let queue = ours.dispatcher.background
    let dispatch = DispatchSubject.concurrent
    let count = 10_000
    return [
      Contestant(Contestant.ours) {
        let counter = Counter()
        defer { counter.free() }
        let group = WorkGroup()
        return timed {
          for _ in 0..<count { queue.async(group: group) { counter.advance() } }
          try! group.wait()
        } / Double(count)
      },
      Contestant("Dispatch") {
        let counter = Counter()
        defer { counter.free() }
        let group = DispatchGroup()
        return timed {
          for _ in 0..<count { dispatch.queue.async(group: group) { counter.advance() } }
          group.wait()
        } / Double(count)
      },
    ]
  }
}
