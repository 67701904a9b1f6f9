import Dispatch
import Measuring
import UVDispatch

extension Case {
  /// Waits for a queue that no other thread uses.
  static let sync = Case(
    "uncontended sync on a view",
    rows: [
      Row(
        "uncontended sync on a view", demanded: [.within(2, of: "Dispatch")],
        goal: [.within(1, of: "Dispatch")])
    ]
  ) { effort in
    let ours = try UVBackground(width: 3)
    let view = ours.dispatcher.makeQueue(label: "view", width: 1)
    let dispatch = DispatchSubject.serial
    let counter = Counter()
    let count = effort.count(200_000)
    return [
      Contestant(Contestant.ours) {
        timed { for _ in 0..<count { try! view.sync { counter.advance() } } } / Double(count)
      },
      Contestant("Dispatch") {
        timed { for _ in 0..<count { dispatch.queue.sync { counter.advance() } } } / Double(count)
      },
    ]
  }
}
