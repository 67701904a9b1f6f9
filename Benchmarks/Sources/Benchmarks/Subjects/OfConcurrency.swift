/// `Task.detached`.
final class DetachedTasks: Subject {
  func submit(_ counter: Counter, _ rounds: Int) { Task.detached { work(rounds, counter) } }
  func run(_ body: @escaping @Sendable () -> Void) { Task.detached { body() } }
}

/// An actor that Tasks call: one at a time, as on a queue of width 1.
final class ActorSubject: Subject {
  private actor Worker {
    func run(_ counter: Counter, _ rounds: Int) { work(rounds, counter) }
    func call(_ body: @Sendable () -> Void) { body() }
  }

  private let worker = Worker()

  func submit(_ counter: Counter, _ rounds: Int) {
    Task.detached { [worker] in await worker.run(counter, rounds) }
  }
  func run(_ body: @escaping @Sendable () -> Void) {
    Task.detached { [worker] in await worker.call(body) }
  }
}
