import TaskDispatch

@testable import TaskDispatchTesting

/// A program of a few dozen actions on a fake, which depend only on the seed: submissions of every kind, from
/// the test and from bodies, cancellations, suspended views, waits, time, and an end.
final class Program: Sendable {
  private struct Draft {
    var dice: Dice
    var log: ProgramLog
    var handles: [TaskHandle<Void>] = []
    var timers: [TimerHandle] = []
    var held: [Int] = []
    var repeating = 0
  }

  private struct Torn: Error {}

  private let dispatcher: RecordingDispatcher
  private let views: [TaskQueue]
  private let group = WorkGroup()
  private let draft: Locked<Draft>

  /// Runs the program of `seed` to its end, and returns its log.
  static func run(seed: Int) -> ProgramLog {
    let program = Program(seed: seed)
    program.act()
    return program.draft.withLock { $0.log }
  }

  private init(seed: Int) {
    var dice = Dice(seed: seed)
    let workers = 1 + dice.roll(3)
    dispatcher = RecordingDispatcher(
      .init(
        width: workers, leftovers: .ignore, thrownErrors: .ignore,
        overflow: dice.once(in: 4) ? .reject(limit: 2 + dice.roll(4)) : .unbounded,
        // Longer than any program: no head ages, so the judge can take the bands as strict.
        agingStep: .seconds(3600)),
      chooser: RandomChooser(seed: seed ^ 0x5DEECE))
    var widths = ["background": workers, "foreground": 1]
    views = (0..<dice.roll(4)).map { [dispatcher] number in
      let width = 1 + dice.roll(3)
      widths["view \(number)"] = width
      return dispatcher.makeQueue(label: "view \(number)", width: width)
    }
    draft = Locked(Draft(dice: dice, log: ProgramLog(workers: workers, widths: widths)))
    dispatcher.onEvent = { [weak self] event in self?.note(.event(event)) }
  }

  // MARK: The whole

  private func act() {
    for _ in 0..<40 { actFromTest() }
    for view in draft.withLock({ $0.held }) where roll(2) == 0 { resume(view) }
    if once(in: 2) {
      dispatcher.beginShutdown(
        .init(drain: .milliseconds(roll(5)), cancel: .milliseconds(roll(5))))
    }
    _ = try? dispatcher.runUntilIdle()
    try? dispatcher.advanceTime(by: .milliseconds(10))
    try? dispatcher.finish()
    draft.withLock { $0.log.ledger = dispatcher.ledger }
  }

  private func actFromTest() {
    switch roll(20) {
    case 0..<8: submit()
    case 8: cancel()
    case 9: suspendOrResume()
    case 10: sync()
    case 11: wait()
    case 12: _ = try? dispatcher.runNextForegroundTask()
    case 13: _ = try? dispatcher.runNextBackgroundTask()
    case 14: _ = try? dispatcher.runTask(labeled: "\(roll(1 + tasks))")
    case 15: _ = try? dispatcher.runUntilIdle(limit: 1 + roll(6))
    case 16: try? dispatcher.advanceTime(by: .milliseconds(roll(4)))
    case 17: try? dispatcher.skipTime(by: .milliseconds(roll(4)))
    case 18: _ = try? dispatcher.advanceToNextDeadline(driving: once(in: 2) ? .loop : .everything)
    default:
      if once(in: 8) {
        dispatcher.beginShutdown(
          .init(drain: .milliseconds(roll(8)), cancel: .milliseconds(roll(3))))
      } else {
        notifyOnGroup()
      }
    }
  }

  /// Acts as the body of a task does.
  private func actInBody(_ label: String) {
    note(.bodyBegan(label))
    for _ in 0..<roll(3) {
      switch roll(9) {
      case 0..<3: submit()
      case 3: cancel()
      case 4: sync()
      case 5: wait()
      case 6: suspendOrResume()
      case 7: try? dispatcher.skipTime(by: .milliseconds(roll(3)))
      default: notifyOnGroup()
      }
    }
    note(.bodyEnded(label))
  }

  // MARK: Actions

  private var tasks: Int { draft.withLock { $0.log.facts.count } }

  private func submit() {
    // Enough tasks for every kind to meet every other, and few enough to end.
    guard tasks < 60 else { return }
    let label = "\(tasks)"
    let queue = anyQueue()
    let isForeground = queue.lane == .foreground
    let isBarrier = !isForeground && once(in: 5)
    let target = isBarrier ? queue.barrier : queue
    let priority: TaskPriority = [.high, .medium, .low, .background][roll(4)]
    let milliseconds = 1 + roll(5)
    let timeToLive = once(in: 4) ? roll(3) : nil
    var facts = ProgramLog.Facts(
      queue: queue.label, band: isForeground ? .medium : PriorityBand(priority),
      isBarrier: isBarrier)
    facts.timeToLive = timeToLive.map { Int64($0) * 1_000_000 }
    let lives = timeToLive.map { Duration.milliseconds($0) }
    let kind = roll(8)
    if kind == 6 || kind == 7 {
      facts.due = dispatcher.now.nanoseconds + Int64(milliseconds) * 1_000_000
    }
    facts.repeats = kind == 7
    if kind == 0 || kind == 7 { facts.timeToLive = nil }
    draft.withLock { $0.log.facts[label] = facts }

    switch kind {
    case 0:
      // Labelled, so that the judge can tell it from others. The rules are the same for a body without a label.
      target(priority: priority, label: label) { [self] in actInBody(label) }
    case 1, 2:
      target(
        priority: priority, label: label, group: once(in: 2) ? group : nil, timeToLive: lives,
        atShutdown: once(in: 4) ? .skip : .drain
      ) { [self] in actInBody(label) }
    case 3..<6:
      let fails = once(in: 5)
      let handle = target.submit(
        priority: priority, label: label, group: once(in: 3) ? group : nil, timeToLive: lives
      ) { [self] in
        actInBody(label)
        if fails { throw Torn() }
      }
      draft.withLock { $0.handles.append(handle) }
    case 6:
      let timer = target.after(
        .milliseconds(milliseconds), priority: priority, label: label, timeToLive: lives
      ) { [self] in actInBody(label) }
      draft.withLock { $0.timers.append(timer) }
    default:
      let catchUp = CatchUp.allCases[roll(4)]
      let timer = target.every(
        .milliseconds(milliseconds), catchUp: catchUp, priority: priority, label: label
      ) { [self] in actInBody(label) }
      draft.withLock { $0.timers.append(timer) }
    }
  }

  private func notifyOnGroup() {
    guard tasks < 60 else { return }
    let label = "\(tasks)"
    let queue = anyQueue()
    draft.withLock {
      $0.log.facts[label] = ProgramLog.Facts(
        queue: queue.label, band: .medium, isNotification: true)
    }
    group.notify(on: queue, label: label) { [self] in actInBody(label) }
  }

  private func cancel() {
    let (handles, timers) = draft.withLock { ($0.handles, $0.timers) }
    let index = roll(handles.count + timers.count + 1)
    if index < handles.count {
      let answer = handles[index].cancel()
      note(.cancelled(handles[index].label!, answer))
    } else if index < handles.count + timers.count {
      let timer = timers[index - handles.count]
      let answer = timer.cancel()
      note(.cancelled(timer.label!, answer))
    }
  }

  private func suspendOrResume() {
    guard !views.isEmpty else { return }
    let view = roll(views.count)
    if draft.withLock({ $0.held.contains(view) }) {
      resume(view)
    } else {
      views[view].suspend()
      draft.withLock { $0.held.append(view) }
      note(.suspended(views[view].label))
    }
  }

  private func resume(_ view: Int) {
    draft.withLock { $0.held.removeAll { $0 == view } }
    note(.resumed(views[view].label))
    views[view].resume()
  }

  private func sync() {
    let queue = anyQueue()
    let isBarrier = queue.lane == .background && once(in: 4)
    let line = isBarrier ? ProgramLog.barrierSync : ProgramLog.plainSync
    note(.syncBegan)
    try? (isBarrier ? queue.barrier : queue).sync(line: line) {}
    note(.syncEnded)
  }

  private func wait() {
    let handles = draft.withLock { $0.handles }
    let timeout: Duration? = once(in: 2) ? .milliseconds(roll(3)) : nil
    if handles.isEmpty || once(in: 3) {
      try? group.wait(timeout: timeout)
    } else {
      _ = try? handles[roll(handles.count)].wait(timeout: timeout)
    }
  }

  // MARK: Chance and memory

  private func anyQueue() -> TaskQueue {
    let index = roll(2 + 2 * views.count)
    if index == 0 { return dispatcher.foreground }
    return index == 1 ? dispatcher.background : views[(index - 2) / 2]
  }

  private func roll(_ sides: Int) -> Int { draft.withLock { $0.dice.roll(sides) } }
  private func once(in sides: Int) -> Bool { draft.withLock { $0.dice.once(in: sides) } }
  private func note(_ line: ProgramLog.Line) { draft.withLock { $0.log.lines.append(line) } }
}
