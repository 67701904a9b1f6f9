import Judging
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
    Program(
      "any end", "calls at random, and a shutdown", threads: 3, calls: 13, isGenerated: true
    ) { scene in
      Calls(scene, queues: [.loop, .pool, .serial, .wide], ends: true).run()
    },
    Program(
      "any end of views", "calls at random on two serial queues, and a shutdown", threads: 3,
      calls: 13, isGenerated: true
    ) { scene in
      Calls(scene, queues: [.serial, .serial], ends: true).run()
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
  private let ends: Bool
  private var handles: [(handle: TaskHandle<Void>, entry: History.Entry)] = []
  private var notifications: [History.Entry] = []
  /// Tasks that await an outcome or a flush, and how many of them have gone on.
  private var (awaiting, resumed) = (0, 0)

  /// - Parameter ends: Whether the dispatcher is shut down between the calls.
  init(_ scene: Scene, queues kinds: [Kind], ends: Bool = false) {
    self.scene = scene
    self.ends = ends
    let dispatcher = scene.dispatcher(starts: ends || kinds.contains(.loop))
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
    if ends {
      dispatcher.beginShutdown(ShutdownPolicy())
      makeCalls(most: 2)
    }
    scene.simulation.quiesce()
    for (handle, entry) in handles { history.note(handle.outcomeIfFinished, of: entry) }
    history.check()
    scene.check(resumed == awaiting, "\(awaiting - resumed) Tasks await for ever")
    for entry in notifications {
      scene.check(entry.ended != nil, "\(entry) has not run, and its group is empty")
    }
    scene.check(!ends || dispatcher.report != nil, "the shutdown has no report")
    if let failure = history.failure { scene.check(false, failure) }
  }

  private func makeCalls(most: Int) {
    for _ in 0..<choose(most + 1) { makeCall(isNested: false) }
  }

  private func makeCall(isNested: Bool) {
    let number = choose(queues.count)
    let queue = queues[number]
    // A body on the loop or in a queue must not wait for its own queue: that is refused, and tried elsewhere.
    switch choose(isNested ? 7 : 13) {
    case 0: post(queue, number)
    case 1: submit(queue, number, .medium)
    case 2: submit(queue, number, bands(number))
    case 3: cancel(submit(queue, number, .medium))
    case 4: cancel(submit(queue, number, bands(number)))
    case 5: barrier(queue, number)
    case 6: readLedger()
    case 7: sync(queue, number)
    case 8: suspend(queue, number)
    case 9: waitForGroup(queue, number)
    case 10: notify(queue, number)
    case 11: flush(queue, number)
    default: waitForHandle(queue, number)
    }
  }

  /// A band; on the loop all are one.
  private func bands(_ number: Int) -> PriorityBand {
    kinds[number] == .loop ? .medium : [.medium, .high, .low][choose(3)]
  }

  private func body(_ entry: History.Entry) -> @Sendable () -> Void {
    let nested = choose(4)
    let isSync = entry.kind == .sync
    let ownThread = kinds[entry.queue] == .loop ? "uv" : "worker"
    return { [self] in
      history.begin(entry)
      let thread = scene.simulation.currentName
      scene.check(
        isSync || thread.hasPrefix(ownThread), "\(thread) runs \(entry), which is not its own")
      scene.simulation.yield()
      if nested == 3 { makeCall(isNested: true) }
      history.end(entry)
      if let failure = history.failure { scene.check(false, failure) }
    }
  }

  private func post(_ queue: TaskQueue, _ number: Int) {
    let entry = history.ask(.task, on: number)
    history.note(queue(body(entry)), of: entry)
  }

  @discardableResult
  private func submit(
    _ queue: TaskQueue, _ number: Int, _ band: PriorityBand, group: WorkGroup? = nil
  ) -> (handle: TaskHandle<Void>, entry: History.Entry) {
    let entry = history.ask(.task, on: number, band)
    let body = body(entry)
    let handle = queue.submit(priority: band, group: group) { body() }
    if case .refused = handle.outcomeIfFinished {
      history.refuse(entry)
    } else {
      history.accept(entry)
    }
    handles.append((handle, entry))
    if choose(3) == 2 { awaitOutcome(of: handle) }
    return (handle, entry)
  }

  /// A Task on the pool awaits the outcome.
  private func awaitOutcome(of handle: TaskHandle<Void>) {
    // A shutdown lets it go on elsewhere, on a thread that is not the simulation's.
    if ends { return }
    awaiting += 1
    Task(executorPreference: dispatcher.background.executor) { [self] in
      _ = await handle.outcome
      resumed += 1
    }
  }

  private func cancel(_ submitted: (handle: TaskHandle<Void>, entry: History.Entry)) {
    if submitted.handle.cancel() == .beforeStart { history.refuse(submitted.entry) }
  }

  private func barrier(_ queue: TaskQueue, _ number: Int) {
    // The loop runs one at a time anyway, and has no barrier.
    if kinds[number] == .loop { return post(queue, number) }
    let entry = history.ask(.barrier, on: number)
    history.note(queue.barrier(body(entry)), of: entry)
  }

  private func sync(_ queue: TaskQueue, _ number: Int) {
    let entry = history.ask(.sync, on: number)
    let body = body(entry)
    do {
      try queue.sync(body)
      history.accept(entry)
    } catch {
      // After a shutdown nothing comes any more.
      scene.check(ends, "the sync has thrown \(error)")
      history.refuse(entry)
    }
  }

  private func suspend(_ queue: TaskQueue, _ number: Int) {
    guard kinds[number] == .serial || kinds[number] == .wide else { return post(queue, number) }
    if ends { history.leaveOpen(number) }
    queue.suspend()
    submit(queue, number, .medium)
    queue.resume()
  }

  private func waitForGroup(_ queue: TaskQueue, _ number: Int) {
    let group = WorkGroup()
    let members = (1...2).map { _ in submit(queue, number, .medium, group: group) }
    do { try group.wait() } catch { scene.check(ends, "the wait has thrown \(error)") }
    for (handle, entry) in members { history.note(handle.outcomeIfFinished, of: entry) }
  }

  private func waitForHandle(_ queue: TaskQueue, _ number: Int) {
    let (handle, entry) = submit(queue, number, bands(number))
    do { history.note(try handle.wait(), of: entry) } catch {
      scene.check(ends, "the wait has thrown \(error)")
    }
  }

  /// The ledger balances at any moment, and has what was accepted before.
  private func readLedger() {
    let least = history.acceptedCount
    let ledger = dispatcher.ledger
    scene.check(ledger.balances, "rule 2: the ledger does not balance: \(ledger)")
    scene.check(
      ledger.accepted >= least, "rule 2: of \(least) accepted, the ledger misses some: \(ledger)")
  }

  /// A body that comes once the members of a group have ended.
  private func notify(_ queue: TaskQueue, _ number: Int) {
    // A shutdown may cancel it.
    if ends { return readLedger() }
    let group = WorkGroup()
    let members = (0...choose(2)).map { _ in submit(queue, number, .medium, group: group) }
    let target = choose(queues.count)
    let entry = history.ask(.task, on: target)
    let body = body(entry)
    notifications.append(entry)
    group.notify(on: queues[target]) { [self] in
      for (handle, entry) in members { history.note(handle.outcomeIfFinished, of: entry) }
      body()
    }
  }

  private func flush(_ queue: TaskQueue, _ number: Int) {
    if ends { return readLedger() }
    awaiting += 1
    Task(executorPreference: dispatcher.background.executor) { [self] in
      let before = history.unfinished(on: number)
      await queue.flush()
      history.noteFlush(of: before)
      resumed += 1
    }
  }
}
