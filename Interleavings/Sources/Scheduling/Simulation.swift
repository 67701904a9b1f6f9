internal import CBaton
internal import Glibc

/// Runs a program of several threads one thread at a time, and decides at each *point* which thread goes on.
///
/// A point comes before each operation that other threads can notice: a lock, an atomic, a wake-up, a sleep, a new
/// thread, a yield. The threads are real, and hand on a baton. So all that a thread does between two points is one
/// step, and the same choices give the same run.
///
/// A thread that waits for a lock or sleeps is not runnable. If none is runnable, first a thread that waits for
/// *quiescence* goes on. Else the time, which is virtual, moves to the next deadline of a sleeping thread. Else the
/// program is stuck.
///
/// Everything here is touched by the thread that has the baton, and by no other. A thread that the simulation has not
/// made is *uncontrolled*: what it does passes through. It may do so while no program runs.
package final class Simulation: @unchecked Sendable {
  package static let shared = Simulation()

  private(set) var threads: [SimulatedThread] = []
  private let mainBaton = Baton()
  private(set) package var now: Int64 = 0
  private var chooser = Chooser(.first)
  private(set) package var limits = Limits()
  private(set) var result = Run()
  /// The number of this run, for what is set anew in each.
  private(set) package var run = 0
  private var isOver = true
  /// What is queued for the pool while all of its threads run something.
  private var queued: [() -> Void] = []
  private var poolThreads = 0
  /// How many threads this run has begun.
  private var serials = 0
  /// A check looks at the state: what it does is not a step.
  private var isInspecting = false
  /// A check has looked at something whose lock a thread holds.
  private var hasMetHeldLock = false
  private var quietDepth = 0
  private(set) package var steps: [Step] = []
  package var isTracing = false
  /// Which objects several threads use: see ``Sharing``.
  package let sharing = Sharing()

  /// Sets how many threads the pool has in this run.
  package func setPoolThreads(_ count: Int) { limits.poolThreads = count }

  package struct Limits {
    /// The most worker runs at a time.
    package var poolThreads = 3
    /// A run with more steps does not end.
    package var steps = 50_000
    /// What each reading of the clock adds to the time, in nanoseconds.
    package var tick: Int64 = 100
  }

  /// What came of a run.
  package struct Run: Sendable {
    package var failure: String?
    package var steps = 0
    /// Points at which there was a choice.
    package var points = 0
    package var switches = 0
  }

  package init() {}

  // MARK: One run

  /// Runs `program` on a thread of its own, and returns when all threads have ended, or a check has failed.
  ///
  /// After a failure the threads stay where they are. The process can look at them, and must not run another program.
  package func run(_ chooser: Chooser, _ program: @escaping () -> Void) -> Run {
    precondition(isOver && result.failure == nil, "a run goes on, or has failed")
    self.chooser = chooser
    run += 1
    result = Run()
    now = 1_000_000
    queued = []
    poolThreads = 0
    serials = 0
    limits = Limits()
    quietDepth = 0
    steps = []
    isOver = false
    for thread in threads { thread.reset() }
    let first = makeThread(named: "main", program)
    first.baton.pass()
    mainBaton.wait()
    return result
  }

  /// Ends the run with a failure. On a controlled thread it does not return: the thread stays where it is.
  package func fail(_ message: String) {
    guard !isOver else { return }
    result.failure = message
    isOver = true
    mainBaton.pass()
    if current != nil { Baton().wait() }
  }

  // MARK: Threads

  /// The calling thread, if the simulation has made it and it runs a program.
  var current: SimulatedThread? {
    let number = Int(cbaton_number())
    return number < 0 || isInspecting ? nil : threads[number]
  }

  /// Whether the calling thread is controlled.
  package var isControlled: Bool { current != nil }

  /// The calling thread by its name.
  package var currentName: String { current?.name ?? "uncontrolled" }

  /// Starts a thread.
  package func spawn(named name: String, _ body: @escaping () -> Void) {
    guard current != nil else { return spawnUncontrolled(named: name) }
    point(.spawn, nil, name)
    _ = makeThread(named: name, body)
  }

  private func spawnUncontrolled(named name: String) {
    fatalError("a thread, \(name), is started while no program runs")
  }

  /// Runs `body` on a thread of the pool, or queues it until one is free.
  package func queueForPool(_ body: @escaping () -> Void) {
    guard current != nil else { fatalError("work is queued while no program runs") }
    point(.spawn, nil, "pool")
    if poolThreads == limits.poolThreads { return queued.append(body) }
    poolThreads += 1
    _ = makeThread(named: "worker \(poolThreads)") { [self] in
      body()
      while !queued.isEmpty {
        let next = queued.removeFirst()
        point(.spawn, nil, "pool takes the next")
        next()
      }
      poolThreads -= 1
    }
  }

  private func makeThread(named name: String, _ body: @escaping () -> Void) -> SimulatedThread {
    let thread: SimulatedThread
    if let free = threads.first(where: { $0.isFree }) {
      thread = free
    } else {
      precondition(threads.count < 32, "more than 32 threads")
      thread = SimulatedThread(number: threads.count)
      threads.append(thread)
      start(thread)
    }
    serials += 1
    thread.begin(named: name, serial: serials, body)
    chooser.began(thread)
    return thread
  }

  private func start(_ thread: SimulatedThread) {
    var handle = pthread_t()
    let context = Unmanaged.passRetained(thread).toOpaque()
    let status = unsafe pthread_create(
      &handle, nil,
      { context in
        let thread = unsafe Unmanaged<SimulatedThread>.fromOpaque(context!).takeRetainedValue()
        cbaton_set_number(Int32(thread.number))
        while true {
          thread.baton.wait()
          Simulation.shared.live(thread)
        }
      }, context)
    precondition(status == 0, "pthread_create refused: \(status)")
  }

  private func live(_ thread: SimulatedThread) {
    thread.body.take()!()
    note(.end, nil, "", thread)
    thread.state = .free
    handOn(from: thread, .cannotGoOn)
  }

  // MARK: Points

  /// The calling thread is about to do something that other threads can notice. Another thread may go on first.
  @inline(__always)
  package func point(
    _ kind: Step.Kind, _ object: SharedObject?, _ place: @autoclosure () -> String
  ) {
    guard let thread = current else { return }
    result.steps += 1
    if result.steps > limits.steps { fail("it does not end: \(limits.steps) steps") }
    if isTracing { note(kind, object, place(), thread) }
    if quietDepth > 0 { return }
    if let object, !sharing.isShared(object, by: thread, kind, in: run) { return }
    handOn(from: thread, .mayGoOn)
  }

  private func note(
    _ kind: Step.Kind, _ object: SharedObject?, _ place: String, _ thread: SimulatedThread
  ) {
    guard isTracing else { return }
    steps.append(
      Step(thread: thread.name, kind: kind, object: object?.description ?? "", place: place))
  }

  /// Gives the processor away, if another thread can run.
  package func yield() {
    guard let thread = current, quietDepth == 0 else { return }
    result.steps += 1
    note(.yield, nil, "", thread)
    handOn(from: thread, .givesWay)
  }

  enum Reason {
    /// The thread that has the baton may go on.
    case mayGoOn
    /// It goes on only if no other thread can run.
    case givesWay
    /// It has ended, sleeps, or waits for a lock.
    case cannotGoOn
  }

  /// Chooses the thread that goes on, and passes it the baton.
  private func handOn(from thread: SimulatedThread, _ reason: Reason) {
    let candidates = candidates(from: thread, reason)
    guard let first = candidates.first else {
      return reason == .givesWay ? passTime() : endOrFail()
    }
    var next = first
    if candidates.count > 1, quietDepth == 0 {
      result.points += 1
      next = candidates[chooser.choose(among: candidates, isFree: reason != .mayGoOn, thread)]
    }
    next.wakeIfAsleep()
    if next === thread { return }
    result.switches += 1
    // Read before the baton is passed: the next thread may use a thread that has ended.
    let hasEnded = thread.isFree
    next.baton.pass()
    if !hasEnded { thread.baton.wait() }
  }

  /// The threads that can run, the one that has the baton first if it may go on.
  private func candidates(from thread: SimulatedThread, _ reason: Reason) -> [SimulatedThread] {
    var found: [SimulatedThread] = reason == .mayGoOn ? [thread] : []
    for offset in 1..<(threads.count + 1) {
      let other = threads[(thread.number + offset) % threads.count]
      if other === thread, reason != .cannotGoOn { continue }
      if other.isRunnable(at: now) { found.append(other) }
    }
    if !found.isEmpty || reason == .givesWay { return found }
    let quiescing = threads.filter { $0.isQuiescing }
    if !quiescing.isEmpty { return quiescing }
    guard let deadline = threads.compactMap(\.deadlineIfAsleep).min() else { return [] }
    now = max(now, deadline)
    return threads.filter { $0.isRunnable(at: now) }
  }

  /// A thread checks something again and again, and no other thread can run: only the time can change it.
  private func passTime() {
    now = min(threads.compactMap(\.deadlineIfAsleep).min() ?? .max, now + 1_000_000)
  }

  private func endOrFail() {
    let left = threads.filter { !$0.isFree }
    guard !left.isEmpty else {
      isOver = true
      return mainBaton.pass()
    }
    fail("no thread can go on: \(left.map(\.description).joined(separator: "; "))")
  }

  // MARK: Locks

  /// Takes a lock. Waits until it is free.
  package func lock(_ lock: SimulatedLock) {
    if isInspecting, lock.isHeld { hasMetHeldLock = true }
    guard let thread = current else { return }
    point(.lock, lock, "")
    acquire(lock, thread)
  }

  private func acquire(_ lock: SimulatedLock, _ thread: SimulatedThread) {
    while lock.isHeld {
      if lock.owner === thread { fail("\(thread.name) takes \(lock), which it holds") }
      thread.state = .waiting(for: lock)
      handOn(from: thread, .cannotGoOn)
      thread.state = .ready
    }
    lock.owner = thread
  }

  package func unlock(_ lock: SimulatedLock) {
    guard let thread = current else { return }
    note(.unlock, lock, "", thread)
    free(lock, thread)
  }

  private func free(_ lock: SimulatedLock, _ thread: SimulatedThread) {
    if lock.owner !== thread { fail("\(thread.name) frees \(lock), which it does not hold") }
    lock.owner = nil
    guard let check = lock.whenFree else { return }
    isInspecting = true
    let failure = check()
    isInspecting = false
    if let failure { fail(failure) }
  }

  /// Runs a part of a check, and says whether a thread holds a lock that it would have needed.
  package func noticingLocks<Result>(_ body: () -> Result) -> (Result, wasHeld: Bool) {
    hasMetHeldLock = false
    let result = body()
    return (result, hasMetHeldLock)
  }

  // MARK: Sleeping

  /// Sleeps until ``wakeAll(at:)`` for the same place, or until `deadline`. Frees `lock` while it sleeps.
  ///
  /// - Returns: Whether it was woken before the deadline.
  @discardableResult
  package func sleep(
    at place: SimulatedPlace, freeing lock: SimulatedLock?, until deadline: Int64?
  ) -> Bool {
    guard let thread = current else { fatalError("a thread sleeps while no program runs") }
    result.steps += 1
    note(.sleep, place, deadline.map { "until \($0)" } ?? "", thread)
    sharing.note(place, by: thread, .sleep, in: run)
    if let lock { free(lock, thread) }
    thread.isWoken = false
    thread.state = .asleep(at: place, until: deadline, then: lock)
    handOn(from: thread, .cannotGoOn)
    thread.state = .ready
    if let lock { acquire(lock, thread) }
    return thread.isWoken
  }

  package func wakeAll(at place: SimulatedPlace) {
    guard current != nil else { return }
    point(.wake, place, "")
    for thread in threads { thread.wake(at: place) }
  }

  /// Waits until no other thread can run, timers aside.
  package func quiesce() {
    guard let thread = current else { return }
    note(.quiesce, nil, "", thread)
    thread.state = .quiescing
    handOn(from: thread, .cannotGoOn)
    thread.state = .ready
  }

  /// Whether a thread of that name has not ended.
  package func isAlive(_ name: String) -> Bool {
    threads.contains { !$0.isFree && $0.name == name }
  }

  /// Where the other threads stand that have not ended. Empty if all have.
  package var otherThreads: String {
    threads.filter { !$0.isFree && $0 !== current }.map(\.description).joined(separator: "; ")
  }

  /// Runs `body` without choices: the thread goes on until it has to wait.
  package func quietly<Result>(_ body: () throws -> Result) rethrows -> Result {
    quietDepth += 1
    defer { quietDepth -= 1 }
    return try body()
  }

  // MARK: Time

  /// Reads the clock, which moves by a tick.
  package func readClock() -> Int64 {
    if current != nil { now += limits.tick }
    return now
  }

  // MARK: Choices

  /// Chooses what a generated program does next: a number from 0 to `count` - 1. It stands in the schedule. Schedules
  /// are made shorter towards 0, so 0 is the simplest.
  package func choose(below count: Int) -> Int {
    current == nil || count < 2 ? 0 : chooser.choose(below: count)
  }

  /// The choices of the run so far.
  package var choices: [Int] { chooser.taken }

  /// Among how many threads each of them was.
  var countsOfChoices: [Int] { chooser.counts }
}
