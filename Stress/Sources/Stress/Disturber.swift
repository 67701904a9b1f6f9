import Glibc
import Oracle
import TaskDispatch
import UVDispatch

/// What disturbs the load in some mixes, on a thread of its own.
final class Disturber: @unchecked Sendable {
  private let world: World
  private var dice: Dice
  private let isOver = Gate()
  private var thread: OwnThread?

  /// Begins at once, in a mix that has something to disturb.
  init(_ world: World, seed: UInt64) {
    self.world = world
    dice = Dice(seed: seed)
    switch world.plan.mix {
    case .fork:
      Self.rehearse()
      thread = OwnThread { [unowned self] in forkAgainAndAgain() }
    case .fault:
      Signals.prepare()
      thread = OwnThread { [unowned self] in disturb() }
    case .events: thread = OwnThread { [unowned self] in keepNeighbours() }
    default: break
    }
  }

  /// Returns when the disturbing thread has stopped.
  func stop() {
    isOver.open()
    _ = thread?.join(seconds: 1e6)
  }

  // MARK: Forks

  private func forkAgainAndAgain() {
    while !isOver.wait(seconds: Double(2_000 + dice.roll(30_000)) / 1e6) {
      let child = forkProcess()
      if child == 0 {
        // The child calls nothing of the oracle: another thread of the parent may have held its locks.
        alarm(isUnderThreadSanitizer ? 1 : 20)
        _exit(Self.whatIsNotRefused(by: world.dispatcher, world.queues))
      }
      world.totals.forks.add()
      guard child > 0 else {
        world.violations.report(.fork, nil, "fork failed: \(errno)")
        continue
      }
      var status: CInt = 0
      while waitpid(child, &status, 0) == -1, errno == EINTR {}
      // Under ThreadSanitizer Swift takes a lock for each access to a global, and another thread of the
      // parent may have held that lock.
      if isUnderThreadSanitizer, status & 0x7f == SIGALRM { continue }
      if status != 0 {
        world.violations.report(
          .fork, nil,
          status & 0x7f == 0
            ? "in a forked child, submission \(status >> 8 & 0xff) was not refused"
            : "a forked child was ended by signal \(status & 0x7f)")
      }
    }
  }

  /// The number of the first submission that is not refused, 0 if all are refused. Makes all
  /// submissions in any case.
  private static func whatIsNotRefused(by dispatcher: any TaskDispatcher, _ queues: [TaskQueue])
    -> Int32
  {
    let refused = Admission.refused(.forkedChild)
    var first: Int32 = 0
    func note(_ isRefused: Bool, _ number: Int) {
      if !isRefused, first == 0 { first = Int32(number) }
    }
    for (index, queue) in queues.enumerated() {
      note(queue({}) == refused, 10 + index)
      note(queue.barrier({}) == refused, 20 + index)
      note(queue.async(priority: .high, label: "child", {}) == refused, 30 + index)
      let handle = queue.submit {}
      note(handle.outcomeIfFinished == .refused(.forkedChild), 40 + index)
      let timer = queue.after(.milliseconds(1)) {}
      note(timer.outcomeIfFinished == .refused(.forkedChild), 50 + index)
      do {
        try queue.sync {}
        note(false, 60 + index)
      } catch WaitRefusal.refused(.forkedChild) {
      } catch {
        note(false, 70 + index)
      }
    }
    dispatcher.beginShutdown()
    return first
  }

  /// Does once what a child will do. Swift sets up types at their first use, under locks of its own. If
  /// another thread of the parent held such a lock at the fork, the child would wait for ever.
  private static func rehearse() {
    let spare = try! UVDispatcher()
    try! spare.start()
    let queues = [spare.foreground, spare.background, spare.makeQueue(label: "spare", width: 1)]
    _ = whatIsNotRefused(by: spare, queues)
  }

  // MARK: Dispatchers beside

  /// Makes other dispatchers and ends them, one or two at a time, while signals arrive at all of them.
  private func keepNeighbours() {
    guard let events = world.events else { return }
    var neighbours: [Neighbour] = []
    while !isOver.wait(seconds: Double(dice.roll(1_000)) / 1e6) {
      switch dice.roll(6) {
      case 0 where neighbours.count < 2: neighbours.append(makeNeighbour(events))
      case 1 where !neighbours.isEmpty: neighbours.removeFirst().end(&dice)
      case 2: neighbours.last?.cancelFollower()
      case 3: try! Loners(load: events, violations: world.violations).letGo(&dice)
      case 4: try! Loners(load: events, violations: world.violations).wake(&dice)
      default:
        let raised = RaisedSignal.counted[dice.roll(RaisedSignal.counted.count)]
        for _ in 0..<dice.roll(20) { events.raise(raised) }
        for neighbour in neighbours { neighbour.postHere {} }
      }
    }
    for neighbour in neighbours { neighbour.end(&dice) }
  }

  private func makeNeighbour(_ events: EventLoad) -> Neighbour {
    world.totals.neighbours.add()
    return try! Neighbour(world, events, index: world.queues.count, seed: dice.next())
  }

  // MARK: Faults

  private func disturb() {
    while !isOver.wait(seconds: Double(1_000 + dice.roll(10_000)) / 1e6) {
      Signals.interruptEverybody()
      world.totals.faults.add()
      if dice.once(in: 20) { blockLoop() }
    }
  }

  /// Blocks the loop's thread, and checks that the background goes on.
  private func blockLoop() {
    let world = world
    let (workRan, ended) = (Gate(), Gate())
    world.post(on: 0, seed: dice.next()) {
      world.post(on: 1, seed: 0) { workRan.open() }
      if !workRan.wait(seconds: 20) {
        world.violations.report(.noStandstill, nil, "the background stood still while the loop did")
      }
      ended.open()
    }
    ended.wait(seconds: 60)
    world.totals.faults.add()
  }
}

private typealias Fork = @convention(c) () -> pid_t

/// Swift hides `fork`, since the child may do hardly anything of what a program may do.
private func forkProcess() -> pid_t { unsafeBitCast(dlsym(nil, "fork")!, to: Fork.self)() }

/// A signal whose handler does nothing but interrupt.
private enum Signals {
  static func prepare() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    // No SA_RESTART: an interrupted call returns EINTR.
    sigaction(SIGUSR2, &action, nil)
  }

  static func interruptEverybody() {
    guard let directory = opendir("/proc/self/task") else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let thread = Int(name) { signal(thread) }
    }
  }

  private typealias Send = @convention(c) (pid_t, pid_t, CInt) -> CInt

  /// Sends the signal to a thread by the system's number. A thread that has ended since gets none.
  private static func signal(_ thread: Int) {
    let send = unsafeBitCast(dlsym(nil, "tgkill")!, to: Send.self)
    _ = send(getpid(), pid_t(thread), SIGUSR2)
  }
}
