import Oracle
import TaskDispatch

/// An actor that lives on a queue: its jobs are watched as the queue's bodies are.
actor Clerk {
  private let queue: TaskQueue

  init(on queue: TaskQueue) { self.queue = queue }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.unownedExecutor }

  func perform(_ ticket: Ticket, in world: World) { world.perform(ticket) }
}
