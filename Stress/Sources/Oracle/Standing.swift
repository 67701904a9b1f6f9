/// What code sees of where it runs: the current task, and the queues that say that they are current.
public struct Standing: Sendable, Equatable, CustomStringConvertible {
  /// The mark of the task; 0 outside any task, and -1 for a task without a mark.
  public var task: Int
  /// A bit for each queue that says it is current.
  public var queues: UInt64

  public init(task: Int, queues: UInt64) {
    self.task = task
    self.queues = queues
  }

  /// The standing of a body of the task with that mark, in that queue alone.
  public init(task: Int, queue: Int) { self.init(task: task, queues: 1 << UInt64(queue)) }

  /// The standing outside any task and any queue.
  public static let nowhere = Standing(task: 0, queues: 0)

  public var description: String {
    let names = (0..<64).filter { queues >> UInt64($0) & 1 == 1 }.map(String.init)
    let place = names.isEmpty ? "no queue" : "queues " + names.joined(separator: " and ")
    switch task {
    case 0: return "no task, \(place)"
    case -1: return "a task without a mark, \(place)"
    default: return "#\(task), \(place)"
    }
  }
}
