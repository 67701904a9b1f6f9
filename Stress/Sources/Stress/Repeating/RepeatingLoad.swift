import Oracle
import TaskDispatch
import UVDispatch

/// One dispatcher full of repeating timers. It has one timer for each way of catching up on each kind
/// of queue, and tasks that hold the queues, fill them and suspend them.
final class RepeatingLoad: Sendable {
  let dispatcher: UVDispatcher
  let violations: ViolationLog
  let totals = Totals()
  private let seed: UInt64
  private let draws = Number()
  /// Tasks beside the timers. They are counted before they are posted, and again when they begin or are
  /// refused.
  private let fillersPosted = Number()
  private let fillersGone = Number()
  private let handedOut = Locked<[WatchedTimer]>([])
  /// The time just before the shutdown is called. The runs need not account for later ticks.
  let closedAt = Locked(Int64.max)
  /// The queue that a thread suspends and resumes.
  let held: TaskQueue
  let queues: [(name: String, queue: TaskQueue)]
  let isLimited: Bool

  init(_ dispatcher: UVDispatcher, seed: UInt64, isLimited: Bool, violations: ViolationLog) {
    (self.dispatcher, self.seed, self.isLimited, self.violations) = (
      dispatcher, seed, isLimited, violations
    )
    held = dispatcher.makeQueue(label: "held", width: 2)
    queues = [
      ("loop", dispatcher.foreground), ("pool", dispatcher.background),
      ("serial", dispatcher.makeQueue(label: "serial", width: 1)),
      ("wide", dispatcher.makeQueue(label: "wide", width: 3)),
      ("slow", dispatcher.makeQueue(label: "slow", width: 1)), ("held", held),
    ]
  }

  var timers: [WatchedTimer] { handedOut.withLock { $0 } }

  /// A number below `sides`, another at each call.
  private func draw(_ sides: Int) -> Int {
    draws.add(1)
    var dice = Dice(seed: Dice.mixed(seed ^ draws.value))
    return dice.roll(sides)
  }

  func makeTimers(_ dice: inout Dice) {
    for (name, queue) in queues {
      for catchUp in CatchUp.allCases {
        let interval = [100_000, 500_000, 2_000_000, 5_000_000][dice.roll(4)]
        let end: WatchedTimer.End =
          switch dice.roll(3) {
          case 0: .byCall
          case 1: .byItself(run: 1 + dice.roll(40))
          default: .byShutdown
          }
        let timer = WatchedTimer(
          "\(catchUp) on \(name), every \(interval / 1000) us", catchUp, interval: Int64(interval),
          end, self)
        handedOut.withLock { $0.append(timer) }
        timer.start(on: queue, in: WorkGroup())
      }
    }
  }

  /// Keeps the calling body's thread: mostly not at all, sometimes for more than two intervals.
  func spend(_ interval: Int64) {
    guard draw(8) == 0 else { return }
    let length = min(Int64(draw(Int(interval) * 5 / 2)), 5_000_000)
    _ = Gate().wait(seconds: Double(length) / 1e9)
  }

  /// Posts a task beside the timers. Sometimes it keeps its thread.
  func fill() {
    let (name, queue) = queues[draw(queues.count)]
    let length = name == "slow" ? draw(10_000) : draw(4) == 0 ? draw(2_000) : 0
    fillersPosted.add(1)
    let admission = queue { [self] in
      fillersGone.add(1)
      totals.begun.add()
      if length > 0 { _ = Gate().wait(seconds: Double(length) / 1e6) }
      totals.ended.add()
    }
    if admission != .accepted { fillersGone.add(1) }
  }

  /// How many fillers wait or run at most.
  var fillersLeft: Int { Int(fillersPosted.value) - Int(fillersGone.value) }

  /// Checks how many tasks wait: of each timer at most the timer and its run.
  func checkWaiting() {
    let gone = Int(fillersGone.value)
    let waiting = dispatcher.ledger.waiting
    let most = timers.count * 2 + Int(fillersPosted.value) - gone
    if waiting > most {
      violations.report(
        .time, nil, "\(waiting) tasks wait, of which timers and fillers can be \(most)")
    }
  }
}
