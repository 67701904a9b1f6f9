import Dispatch
import Foundation
import Synchronization
import UVDispatch

/// Two hundred thousand submissions of all kinds from four threads. Each submission must end exactly as
/// the dispatcher said.
struct Workload: Sendable {
  /// What is known of one submission.
  private final class Submission: Sendable {
    /// How often its body ran.
    let runs = Atomic(0)
    /// Whether a body ran before its time.
    let wasEarly = Atomic(false)
    /// Whether it was cancelled before it started.
    let wasCancelled = Atomic(false)
  }

  private let perThread: Int
  private let threads = 4
  private let submissions: [Submission]
  private var count: Int { perThread * threads }

  init(submissions count: Int = 200_000) {
    perThread = count / threads
    submissions = (0..<perThread * threads).map { _ in Submission() }
  }

  /// Runs the workload to its end, with the calling thread as the loop's thread.
  ///
  /// - Returns: What the shutdown reported, as text.
  func run() throws -> String {
    let dispatcher = try UVDispatcher()
    let view = dispatcher.makeQueue(label: "view", width: 2)
    let row = dispatcher.makeQueue(label: "row", width: 1)
    let posters = DispatchGroup()
    for thread in 0..<threads {
      posters.enter()
      Thread.detachNewThread {
        post(thread, on: dispatcher, view, row)
        posters.leave()
      }
    }
    Thread.detachNewThread {
      posters.wait()
      // Timers run in the order of their deadlines, and the deadlines of the submissions are earlier.
      dispatcher.foreground.after(.milliseconds(50)) {
        dispatcher.beginShutdown(.init(drain: .seconds(3_600), cancel: .zero))
      }
    }

    let report = dispatcher.run()

    try check(report)
    return "\(report.ledger)"
  }

  private func post(
    _ thread: Int, on dispatcher: UVDispatcher, _ view: TaskQueue, _ row: TaskQueue
  ) {
    var random = SystemRandomNumberGenerator()
    for index in thread * perThread..<(thread + 1) * perThread {
      let submission = submissions[index]
      let body: @Sendable () -> Void = {
        submission.runs.wrappingAdd(1, ordering: .relaxed)
      }
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50: dispatcher.background(body)
      case 50..<70: dispatcher.foreground(body)
      case 70..<76: view(body)
      case 76..<80: row(body)
      case 80..<82: view.barrier(body)
      case 82..<84: dispatcher.background.async(priority: .high, body)
      case 84..<92:
        let queue = [dispatcher.background, dispatcher.foreground, view, row].randomElement()!
        let handle = queue.submit { body() }
        if handle.cancel() == .beforeStart {
          submission.wasCancelled.store(true, ordering: .relaxed)
        }
      default:
        let delay = Duration.microseconds(Int.random(in: 0..<5_000, using: &random))
        let due = dispatcher.now.advanced(by: delay)
        let queue = Bool.random(using: &random) ? dispatcher.foreground : dispatcher.background
        let timer = queue.after(delay) {
          if dispatcher.now < due { submission.wasEarly.store(true, ordering: .relaxed) }
          body()
        }
        if Int.random(in: 0..<4, using: &random) == 0, timer.cancel() == .beforeStart {
          submission.wasCancelled.store(true, ordering: .relaxed)
        }
      }
    }
  }

  private func check(_ report: ShutdownReport) throws {
    var (ran, cancelled) = (0, 0)
    for index in 0..<count {
      let runs = submissions[index].runs.load(ordering: .relaxed)
      let wasCancelled = submissions[index].wasCancelled.load(ordering: .relaxed)
      let wasEarly = submissions[index].wasEarly.load(ordering: .relaxed)
      try expect(!wasEarly, "submission \(index) ran before its time")
      try expect(
        runs == (wasCancelled ? 0 : 1),
        "submission \(index) ran \(runs) times; cancelled: \(wasCancelled)")
      ran += runs
      cancelled += wasCancelled ? 1 : 0
    }
    let ledger = report.ledger
    try expect(ledger.balances, "the ledger does not balance: \(ledger)")
    try expect(report.unfinished.isEmpty, "something is left: \(report)")
    // The timer that began the shutdown is one more.
    try expect(ledger.accepted == count + 1, "\(count) were submitted: \(ledger)")
    try expect(ledger.completed == ran + 1, "\(ran) ran: \(ledger)")
    try expect(ledger.cancelled == cancelled, "\(cancelled) were cancelled: \(ledger)")
  }
}
