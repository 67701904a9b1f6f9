import RandomTesting
import TaskDispatch
import TaskDispatchTesting
import TestSupport

/// A program of a few dozen actions on a fake, which depend only on the seed: submissions of every kind, from
/// the test and from bodies, cancellations, suspended views, waits, time, and an end.
final class Program: Sendable {
  struct Draft {
    var dice: Dice
    /// By number. Each submission claims to stand in the line of its number.
    var declared: [Int: Submission] = [:]
    /// How many submissions have a label, which is their number. They are numbered from 1.
    var labelled = 0
    /// How often the program called `sync`. These calls are numbered from 1001.
    var syncs = 0
    /// The last ticket drawn.
    var ticket = 0
    var handles: [TaskHandle<Void>] = []
    var timers: [TimerHandle] = []
    var held: [Int] = []
    var reportIsNoted = false
  }

  let dispatcher: RecordingDispatcher
  let views: [TaskQueue]
  private let workers: Int
  /// The foreground, the background, and the views.
  private let queues: [Trial.Queue]
  private let book = HistoryBook()
  let group = WorkGroup()
  let draft: Locked<Draft>

  /// Runs the program of `seed` to its end, and returns its history.
  ///
  /// - Parameter look: Called after each action of the test.
  static func run(seed: Int, look: (RecordingDispatcher) -> Void = { _ in }) -> History {
    let program = Program(seed: seed)
    program.act(look)
    return program.history
  }

  private init(seed: Int) {
    var dice = Dice(seed: seed)
    let workers = 1 + dice.roll(3)
    dispatcher = RecordingDispatcher(
      .init(
        width: workers, leftovers: .ignore, thrownErrors: .ignore,
        overflow: dice.once(in: 4) ? .reject(limit: 2 + dice.roll(4)) : .unbounded,
        // Longer than any program: no head ages, so the checker takes the bands as strict.
        agingStep: .seconds(3600), observer: book),
      chooser: RandomChooser(seed: seed ^ 0x5DEECE))
    var queues = [
      Trial.Queue(label: "foreground", width: 1), Trial.Queue(label: "background", width: workers),
    ]
    views = (0..<dice.roll(4)).map { [dispatcher] number in
      let width = 1 + dice.roll(3)
      queues.append(.init(label: "view \(number)", width: width))
      return dispatcher.makeQueue(label: "view \(number)", width: width)
    }
    self.workers = workers
    self.queues = queues
    draft = Locked(Draft(dice: dice))
  }

  private var history: History {
    History(
      book.all, isInOrder: true, declared: draft.withLock { $0.declared }, queues: queues,
      workers: workers, agingStep: Duration.seconds(3600).clampedNanoseconds,
      ledger: dispatcher.ledger, report: dispatcher.report)
  }

  // MARK: The whole

  private func act(_ look: (RecordingDispatcher) -> Void) {
    for _ in 0..<40 {
      actFromTest()
      noteReport()
      look(dispatcher)
    }
    for view in draft.withLock({ $0.held }) where roll(2) == 0 { resume(view) }
    if once(in: 2) { shutDown(drain: .milliseconds(roll(5)), cancel: .milliseconds(roll(5))) }
    _ = try? dispatcher.runUntilIdle()
    try? dispatcher.advanceTime(by: .milliseconds(10))
    noteReport()
    look(dispatcher)
    try? dispatcher.finish()
  }

  private func actFromTest() {
    switch roll(20) {
    case 0..<8: submit(from: nil)
    case 8: cancel()
    case 9: suspendOrResume()
    case 10: sync(from: nil)
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
        shutDown(drain: .milliseconds(roll(8)), cancel: .milliseconds(roll(3)))
      } else {
        notifyOnGroup(from: nil)
      }
    }
  }

  /// Acts as the body of submission `number` does.
  func actInBody(_ number: Int) {
    run(number) {
      for _ in 0..<roll(3) {
        switch roll(9) {
        case 0..<3: submit(from: number)
        case 3: cancel()
        case 4: sync(from: number)
        case 5: wait()
        case 6: suspendOrResume()
        // Long enough for a shutdown to give up on the body.
        case 7: try? dispatcher.skipTime(by: .milliseconds(roll(8)))
        default: notifyOnGroup(from: number)
        }
      }
    }
  }

  /// Notes that a body of submission `number` begins and ends.
  func run(_ number: Int, _ body: () -> Void) {
    let began = ticket()
    let run = Submission.Run(began: began, time: dispatcher.now.nanoseconds, thread: 0)
    let index = draft.withLock {
      $0.declared[number]!.runs.append(run)
      return $0.declared[number]!.runs.count - 1
    }
    body()
    let ended = ticket()
    draft.withLock { $0.declared[number]!.runs[index].ended = ended }
  }

  // MARK: Chance and memory

  /// By its place in ``queues``.
  func anyQueue() -> Int {
    let index = roll(2 + 2 * views.count)
    return index < 2 ? index : 2 + (index - 2) / 2
  }

  func target(_ queue: Int, _ isBarrier: Bool) -> TaskQueue {
    let target =
      switch queue {
      case 0: dispatcher.foreground
      case 1: dispatcher.background
      default: views[queue - 2]
      }
    return isBarrier ? target.barrier : target
  }

  func roll(_ sides: Int) -> Int { draft.withLock { $0.dice.roll(sides) } }
  func once(in sides: Int) -> Bool { draft.withLock { $0.dice.once(in: sides) } }
  func mark(_ line: History.Line) { book.mark(line, at: dispatcher.now) }

  private func ticket() -> Int {
    draft.withLock {
      $0.ticket += 1
      return $0.ticket
    }
  }

  /// Marks in the book that the shutdown's report is there, at the first call that finds it.
  private func noteReport() {
    guard dispatcher.report != nil else { return }
    let isNew = draft.withLock { draft in
      defer { draft.reportIsNoted = true }
      return !draft.reportIsNoted
    }
    if isNew { mark(.over) }
  }
}
