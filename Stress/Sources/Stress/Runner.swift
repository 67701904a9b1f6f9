import Glibc
import Oracle
import TaskDispatch
import UVDispatch

/// Makes one dispatcher after the other, loads each, ends it, and compares its books with what was
/// seen.
final class Runner: @unchecked Sendable {
  let plan: Plan
  let violations = ViolationLog()
  let latency = Latency()
  let ends: Int64
  let isStopped = Switch()
  /// The dispatcher under load, for threads that look at it.
  let current = Locked<World?>(nil)
  let producers = Locked<[Producer]>([])
  /// The totals of the dispatchers that have ended.
  let past = Locked(TotalsSnapshot())
  /// How many of the bodies of these dispatchers have ended, for the thread that watches the run. A
  /// copy of the dictionary would do, but ThreadSanitizer does not see that such a copy is released
  /// before the dictionary is changed in place.
  let pastEnded = Number()
  let ledgers = Locked(Ledger())
  let rounds = Number()
  /// Used between two rounds, by the thread that runs them.
  var descriptors = DescriptorChecker()
  /// What is being done that must not take long, and since when.
  let phase = Locked<(name: String, since: Int64)?>(nil)
  /// The last round, in a mix whose rounds are recorded.
  let recorded = Locked<RecordedRound?>(nil)
  /// The current dispatcher of the mix `entangled`. Other threads use it only under the lock: past the end of a round
  /// a reference of theirs would look like a leak.
  let entangled = Locked<Tangle?>(nil)
  /// The current dispatcher of the mix `repeating`.
  let repeating = Locked<RepeatingLoad?>(nil)
  /// The current queue of the mix `flood`.
  let flooded = Locked<FloodedQueue?>(nil)
  /// Ends the process at once, because something does not end.
  var monitorEnds: (() -> Never)?

  init(_ plan: Plan) {
    self.plan = plan
    ends =
      plan.isForever ? .max : monotonicNanoseconds() + Int64(plan.seconds * 1e9)
  }

  var isTimeOver: Bool {
    isStopped.isRaised || violations.hasFindings || monotonicNanoseconds() >= ends
  }

  func run() throws {
    if plan.mix == .episodes { return try runEpisodes() }
    if plan.mix == .entangled { return try runEntangled() }
    if plan.mix == .repeating { return try runRepeating() }
    if plan.mix == .flood { return try runFloods() }
    if plan.mix == .events, plan.backend == .uv { RaisedSignal.prepare() }
    var round = 0
    var dice = Dice(seed: plan.seed)
    while !isTimeOver {
      let seed = dice.next()
      let world = try World(plan, round: round, violations: violations, latency: latency)
      current.withLock { $0 = world }
      switch plan.backend {
      case .uv: runOnThreads(world, round: round, seed: seed)
      case .fake: try runInSteps(world, seed: seed)
      }
      past.withLock { $0 += TotalsSnapshot(world.totals) }
      pastEnded.add(UInt64(world.totals.ended.value))
      // Not the ledger of the report: refusals after the report count, too.
      let ledger = world.dispatcher.ledger
      ledgers.withLock { $0 += ledger }
      current.withLock { $0 = nil }
      producers.withLock { $0 = [] }
      round += 1
      rounds.set(UInt64(round))
    }
  }

  /// The totals of all dispatchers so far.
  var totals: TotalsSnapshot {
    var totals = past.withLock { $0 }
    if let world = current.withLock({ $0 }) { totals += TotalsSnapshot(world.totals) }
    if let seen = entangled.withLock({ $0.map { TotalsSnapshot($0.totals) } }) { totals += seen }
    if let load = repeating.withLock({ $0 }) { totals += TotalsSnapshot(load.totals) }
    if let flooded = flooded.withLock({ $0 }) { totals += TotalsSnapshot(flooded.totals) }
    return totals
  }

  /// What is open, for people.
  var state: String {
    if let state = entangled.withLock({ $0?.state }) { return state }
    if let load = repeating.withLock({ $0 }) { return "ledger: \(load.dispatcher.ledger)" }
    if let flooded = flooded.withLock({ $0 }) {
      return "ledger: \(flooded.queue.dispatcher.ledger)"
    }
    guard let world = current.withLock({ $0 }) else { return "between two dispatchers" }
    let bodies = world.totals.begun.value - world.totals.ended.value
    var lines = [
      "\(bodies) bodies have begun and not ended, \(world.pendingAsync.value) Tasks are under way",
      "ledger: \(world.dispatcher.ledger)",
    ]
    if let events = world.events { lines.append(events.state) }
    for producer in producers.withLock({ $0 }) {
      lines.append("producer \(producer.number): \(producer.state)")
    }
    return lines.joined(separator: "\n")
  }

  func during<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
    phase.withLock { $0 = (name, monotonicNanoseconds()) }
    defer { phase.withLock { $0 = nil } }
    return try body()
  }

  // MARK: Threads

  private func runOnThreads(_ world: World, round: Int, seed: UInt64) {
    var dice = Dice(seed: seed)
    let dispatcher = world.dispatcher as! UVDispatcher
    let mix = plan.mix
    let length = mix.roundSeconds * (0.5 + dice.share)
    let end = min(ends, monotonicNanoseconds() + Int64(length * 1e9))
    world.registerHandlers(&dice)
    // Background work starts before the loop does.
    var loop: OwnThread?
    if dice.once(in: 2) {
      try! dispatcher.start()
    } else {
      loop = OwnThread { dispatcher.run() }
    }
    if world.events != nil { _ = world.postHere { world.loopThread.noteThisThread() } }
    let isIdle = Gate()
    let isStaffed = Staffed(plan.threads)
    let team = (0..<plan.threads).map { number -> (Producer, OwnThread, Gate) in
      let producer = Producer(world, number: number, seed: dice.next())
      let gate = Gate()
      let share = Unsent(producer)
      return (
        producer,
        OwnThread { [self] in
          let producer = share.value
          // Makes this thread's recorder now, with an index that no earlier thread of this dispatcher
          // has had.
          _ = ThreadRecorder.current
          isStaffed.comesIn()
          guard producer.isNeeded else { return gate.open() }
          produce(producer, until: end)
          gate.open()
          // The thread closes what it has left open itself, since the oracle counts by thread.
          isIdle.wait(seconds: 1e6)
          if world.isCutShort { producer.closeAfterReport() }
          producer.world.checkEndState()
        }, gate
      )
    }
    isStaffed.wait()
    producers.withLock { $0 = team.map(\.0) }
    let disturber = Disturber(world, seed: dice.next())
    // In every other round, since looking takes time from the load.
    let inspector =
      round % 2 == 1
      ? Inspector(dispatcher, violations: violations) : nil
    if world.isCutShort { cutShort(world, dispatcher, &dice, before: end) }
    during("waiting for what is open") {
      for (_, _, gate) in team { gate.wait(seconds: 1e6) }
      disturber.stop()
      inspector?.stop()
      if !world.isCutShort { waitForSilence(world) }
    }
    let least = world.isCutShort ? nil : EventLoad.least
    during("shutting down") { finish(world, dispatcher, &dice) }
    _ = loop?.join(seconds: 1e6)
    during("waiting for bodies that the shutdown left") { waitForBodies(world) }
    isIdle.open()
    for (_, thread, _) in team { _ = thread.join(seconds: 1e6) }
    checkBooks(world)
    during("ending handlers") { endEvents(world, least: least) }
  }

  private func produce(_ producer: Producer, until end: Int64) {
    let mix = plan.mix
    let isBursty = mix == .burst
    while monotonicNanoseconds() < end, !producer.world.isOver.isRaised, !violations.hasFindings,
      !isStopped.isRaised
    {
      for _ in 0..<16 {
        producer.makeRoom()
        producer.act()
      }
      if isBursty, producer.openCount > 3_000 {
        producer.closeAll()
        if producer.dice.once(in: 2) {
          let gap = Gate()
          gap.wait(seconds: Double(producer.dice.roll(5_000)) / 1e6)
        }
      }
    }
    if !producer.world.isCutShort { producer.closeAll() }
  }

  /// Shuts down in the middle of the load.
  private func cutShort(
    _ world: World, _ dispatcher: UVDispatcher, _ dice: inout Dice, before end: Int64
  ) {
    let until = monotonicNanoseconds() + Int64(dice.roll(20_000_000))
    let moment = Gate()
    moment.wait(seconds: Double(max(0, min(until, end) - monotonicNanoseconds())) / 1e9)
    let drain = Duration.microseconds(dice.once(in: 3) ? 0 : dice.roll(10_000))
    let cancel =
      world.mayAbandon
      ? Duration.microseconds(dice.once(in: 3) ? 0 : dice.roll(5_000)) : .seconds(1_000)
    world.isOver.raise()
    // The drain deadline cancels what waits, so the order says nothing from then on.
    for checker in world.checkers {
      checker.endOrder(at: world.now() + Int64(drain / .nanoseconds(1)))
    }
    shutDown(world, dispatcher, ShutdownPolicy(drain: drain, cancel: cancel), &dice)
  }

  /// Begins the shutdown: on this thread, in a body of the foreground or the background, or in a Swift
  /// Task.
  private func shutDown(
    _ world: World, _ dispatcher: UVDispatcher, _ policy: ShutdownPolicy, _ dice: inout Dice
  ) {
    // A body that never ends may occupy the only worker.
    switch world.stuck.value > 0 ? 0 : dice.roll(4) {
    case 0: dispatcher.beginShutdown(policy)
    case 1: world.post(on: 0, seed: 0) { dispatcher.beginShutdown(policy) }
    case 2: world.post(on: 1, seed: 0) { dispatcher.beginShutdown(policy) }
    default: Task { await dispatcher.shutdown(policy) }
    }
  }

  private func finish(_ world: World, _ dispatcher: UVDispatcher, _ dice: inout Dice) {
    world.isOver.raise()
    let look = Gate()
    // A body that outlives the deadline: the report does not wait for it, and names it.
    let hold = Gate()
    let isStuck = plan.mix == .fault && dice.once(in: 2)
    if isStuck {
      let isIn = Gate()
      world.post(on: 1, seed: 0) {
        isIn.open()
        hold.wait(seconds: 1e6)
      }
      isIn.wait(seconds: 1e6)
      world.stuck.add()
    }
    if !world.isCutShort {
      let (drain, cancel) = isStuck ? (0.1, 0.05) : (30, 5)
      shutDown(
        world, dispatcher, ShutdownPolicy(drain: .seconds(drain), cancel: .seconds(cancel)), &dice)
    }
    while dispatcher.report == nil { look.wait(seconds: 0.000_5) }
    hold.open()
  }

  private func waitForSilence(_ world: World) {
    let look = Gate()
    while world.pendingAsync.value > 0
      || world.totals.begun.value != world.totals.ended.value || !world.isAllDone
      || world.events?.isQuiet == false
    {
      look.wait(seconds: 0.001)
    }
  }

  /// Waits for abandoned bodies. They had started, and may not have come to their first instruction.
  private func waitForBodies(_ world: World) {
    let look = Gate()
    guard world.isExact, world.mayAbandon, let ledger = world.dispatcher.report?.ledger else {
      return
    }
    while world.totals.ended.value < ledger.completed + ledger.failed + ledger.abandoned {
      look.wait(seconds: 0.000_5)
    }
  }
}

extension World {
  /// Whether everything that bodies have submitted has ended too.
  var isAllDone: Bool {
    let ledger = dispatcher.ledger
    return ledger.waiting == 0 && ledger.running == 0
  }

  /// Checks the end state for the calling thread, which has closed all that it had open.
  func checkEndState() {
    for checker in checkers { checker.checkEndState(of: [ThreadRecorder.current.index]) }
  }
}

extension Ledger {
  static func += (total: inout Ledger, other: Ledger) {
    total.accepted += other.accepted
    total.refused += other.refused
    total.completed += other.completed
    total.failed += other.failed
    total.cancelled += other.cancelled
    total.expired += other.expired
    total.abandoned += other.abandoned
  }
}

extension Dice {
  /// A share from 0 to 1.
  var share: Double {
    mutating get { Double(roll(1_000)) / 1_000 }
  }
}

/// Hands a value to the one thread that uses it.
struct Unsent<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
