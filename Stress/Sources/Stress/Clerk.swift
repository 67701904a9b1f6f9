import Oracle
import TaskDispatch

/// An actor that runs on a queue. Its jobs are checked as the queue's bodies are.
actor Clerk {
  private let queue: TaskQueue

  init(on queue: TaskQueue) { self.queue = queue }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.unownedExecutor }

  func perform(_ ticket: Ticket, in world: World) { world.perform(ticket) }
}
