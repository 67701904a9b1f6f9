import Testing

@testable import TaskDispatch

@Suite("The limit of a queue")
struct QueueLimitTests {
  private let first = QueueView(label: "first", width: 1)
  private let second = QueueView(label: "second", width: 1)

  @Test("is that of each queue for itself", arguments: 0..<4)
  func apart(full: Int) {
    let queues: [(Lane, QueueView?)] = [
      (.foreground, nil), (.background, nil), (.background, first), (.background, second),
    ]
    var limit = QueueLimit(2)
    for (index, queue) in queues.enumerated() {
      for _ in 0..<(index == full ? 2 : 1) { limit.count(1, in: queue.0, queue.1) }
    }

    for (index, queue) in queues.enumerated() {
      #expect(limit.isFull(queue.0, queue.1) == (index == full))
    }
    limit.count(-1, in: queues[full].0, queues[full].1)
    #expect(!limit.isFull(queues[full].0, queues[full].1))
  }

  @Test("is never reached if there is none")
  func none() {
    var limit = QueueLimit(nil)
    for _ in 0..<100 { limit.count(1, in: .background, nil) }

    #expect(!limit.isSet)
    #expect(!limit.isFull(.background, nil))
  }
}
