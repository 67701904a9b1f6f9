import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Programs that are chosen at random with each run, and judged by ``History``. They meet what the authors of the
  /// other programs did not think of.
  static let generated: [Program] = [
    Program(
      "any queues", "calls at random on every kind of queue", threads: 3, calls: 12,
      isGenerated: true
    ) {
      scene in Calls(scene, queues: [.loop, .pool, .serial, .wide]).run()
    },
    Program(
      "any serial queue", "calls at random on one serial queue", threads: 3, calls: 12,
      isGenerated: true
    ) {
      scene in Calls(scene, queues: [.serial]).run()
    },
    Program(
      "any wide queue", "calls at random on one wide queue", threads: 3, calls: 12,
      isGenerated: true
    ) {
      scene in Calls(scene, queues: [.wide]).run()
    },
    Program(
      "any views", "calls at random on two serial queues and the pool", threads: 3, calls: 12,
      isGenerated: true
    ) {
      scene in Calls(scene, queues: [.serial, .serial, .pool]).run()
    },
  ]
}

/// Threads that each make a few calls, which the simulation chooses.
private final class Calls: @unchecked Sendable {
  enum Kind { case loop, pool, serial, wide }

  private let scene: Scene
  private let dispatcher: UVDispatcher
  private let queues: [TaskQueue]
  private let kinds: [Kind]
  private let history: History

  init(_ scene: Scene, queues kinds: [Kind]) {
    self.scene = scene
    let dispatcher = scene.dispatcher(starts: kinds.contains(.loop))
    queues = kinds.map { kind in
      switch kind {
      case .loop: dispatcher.foreground
      case .pool: dispatcher.background
      case .serial: dispatcher.makeQueue(label: "serial", width: 1)
      case .wide: dispatcher.makeQueue(label: "wide", width: 2)
      }
    }
    self.dispatcher = dispatcher
    self.kinds = kinds
    history = History(widths: kinds.map { $0 == .loop || $0 == .serial ? 1 : 2 })
  }

  private func choose(_ count: Int) -> Int { scene.simulation.choose(below: count) }

  func run() {
    for name in ["left", "right"] { scene.thread(name) { [self] in makeCalls(most: 5) } }
    makeCalls(most: 4)
    scene.simulation.quiesce()
    history.check()
    if let failure = history.failure { scene.check(false, failure) }
  }

  private func makeCalls(most: Int) {
    for _ in 0..<choose(most + 1) { makeCall(isNested: false) }
  }

  private func makeCall(isNested: Bool) {
    let number = choose(queues.count)
    let queue = queues[number]
    // A body on the loop or in a queue must not wait for its own queue: that is refused, and tried elsewhere.
    switch choose(isNested ? 6 : 9) {
    case 0: post(queue, number)
    case 1: submit(queue, number, .medium)
    case 2: submit(queue, number, bands(number))
    case 3: cancel(submit(queue, number, .medium))
    case 4: cancel(submit(queue, number, bands(number)))
    case 5: barrier(queue, number)
    case 6: sync(queue, number)
    case 7: suspend(queue, number)
    default: waitForGroup(queue, number)
    }
  }

  /// A band; on the loop all are one.
  private func bands(_ number: Int) -> PriorityBand {
    kinds[number] == .loop ? .medium : [.medium, .high, .low][choose(3)]
  }

  private func body(_ entry: History.Entry) -> @Sendable () -> Void {
    let nested = choose(4)
    nonisolated(unsafe) let entry = entry
    return { [self] in
      history.begin(entry)
      scene.simulation.yield()
      if nested == 3 { makeCall(isNested: true) }
      history.end(entry)
      if let failure = history.failure { scene.check(false, failure) }
    }
  }

  private func post(_ queue: TaskQueue, _ number: Int) {
    let entry = history.ask(.task, on: number)
    queue(body(entry))
    history.accept(entry)
  }

  @discardableResult
  private func submit(
    _ queue: TaskQueue, _ number: Int, _ band: PriorityBand, group: WorkGroup? = nil
  ) -> (TaskHandle<Void>, History.Entry) {
    let entry = history.ask(.task, on: number, band)
    let body = body(entry)
    let handle = queue.submit(priority: band, group: group) { body() }
    history.accept(entry)
    return (handle, entry)
  }

  private func cancel(_ submitted: (TaskHandle<Void>, History.Entry)) {
    if submitted.0.cancel() == .beforeStart {
      if submitted.1.began != nil {
        scene.check(false, "rule 9: cancelled before its start, and has run")
      }
      submitted.1.mustNotRun = true
    }
  }

  private func barrier(_ queue: TaskQueue, _ number: Int) {
    // The loop runs one at a time anyway, and has no barrier.
    if kinds[number] == .loop { return post(queue, number) }
    let entry = history.ask(.barrier, on: number)
    queue.barrier(body(entry))
    history.accept(entry)
  }

  private func sync(_ queue: TaskQueue, _ number: Int) {
    let entry = history.ask(.sync, on: number)
    let body = body(entry)
    do { try queue.sync(body) } catch { scene.check(false, "the sync has thrown \(error)") }
    history.accept(entry)
  }

  private func suspend(_ queue: TaskQueue, _ number: Int) {
    guard kinds[number] == .serial || kinds[number] == .wide else { return post(queue, number) }
    queue.suspend()
    submit(queue, number, .medium)
    queue.resume()
  }

  private func waitForGroup(_ queue: TaskQueue, _ number: Int) {
    let group = WorkGroup()
    submit(queue, number, .medium, group: group)
    submit(queue, number, .medium, group: group)
    do { try group.wait() } catch { scene.check(false, "the wait has thrown \(error)") }
  }
}
