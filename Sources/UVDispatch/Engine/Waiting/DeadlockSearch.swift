internal import TaskDispatch

/// Which of the blocked threads can go on, without those that cannot (rule 14).
///
/// A thread is *live* if something may end its wait. The search begins with no blocked thread live, and looks at each
/// of them. A thread that something else may let go on becomes live. Then the search looks again at the threads that
/// wait for what it holds: its tasks' shares of their queues, their outcomes, its worker run, the loop. In the end, a
/// thread that is not live waits only for threads that are not live.
///
/// The search answers one of two questions. A *circle* consists of running bodies and callers of `sync`, and of what
/// stands before those callers in their queues. It lasts, whatever else goes on. The whole question is asked when
/// nothing runs and nothing can start. Then a wait for a task that has not started, or for a group, also counts: it
/// ends only if a worker or the loop's thread can come to that task, or to the members. That a task may be cancelled
/// does not count.
///
/// A suspended view counts as one that goes on, for it may be resumed. A group that was entered by hand may be left. A
/// timer comes due if the loop's thread can come to it.
///
/// Complexity: O(blocked threads + running tasks + what each waits for); for a group, once O(what waits in all queues).
struct DeadlockSearch {
  /// What keeps a thread from being live.
  enum Blocker {
    case thread(BlockedThread)
    /// The running tasks of a queue.
    case queue(TaskQueue.Identity)
    case workers
    case loop
  }

  /// What is known of a queue.
  struct Queue {
    /// Tasks that have a share of it, and whose threads are not live.
    var dead = 0
    var hasDeadBarrier = false
    /// Threads that wait in `sync` on it, and run something on top of that wait. Once such a caller is admitted, it has
    /// its share until its thread comes back.
    var busyCallers: [BlockedThread] = []
    var waiters: [BlockedThread] = []
  }

  let core: Core
  private let circlesOnly: Bool
  /// Threads that have got room in a queue, and have not used it yet: one of each queue.
  private var withRoom: [TaskQueue.Identity: BlockedThread] = [:]
  private let mayHelp: Bool
  private(set) var queues: [TaskQueue.Identity: Queue] = [:]
  private var workersAreLive: Bool
  /// Whether the pool has a free share for a worker run that comes for a task. Else all shares belong to blocked
  /// bodies, or to bodies that go on and give them back.
  private let hasFreeShare: Bool
  private var loopIsLive: Bool
  private var waitersForWorkers: [BlockedThread] = []
  private var waitersForLoop: [BlockedThread] = []
  private var waitersForThread: [ObjectIdentifier: [BlockedThread]] = [:]
  private var work: [BlockedThread] = []
  /// The queues on which workers wait in `sync`.
  private var helpers: Set<TaskQueue.Identity> = []
  private var groups: AwaitedGroups

  /// - Parameters:
  ///   - groups: The groups that threads wait for, made in the same section of the lock.
  ///   - mayHelp: Whether a worker that waits in `sync` may run the first task of that queue, now or once it can start.
  init(_ core: Core, _ groups: AwaitedGroups, circlesOnly: Bool, mayHelp: Bool) {
    self.core = core
    self.groups = groups
    self.circlesOnly = circlesOnly
    self.mayHelp = mayHelp
    let threads = core.blocked.threads.filter(\.isSearched)
    #if DEBUG
      core.blocked.counts.searches += 1
    #endif
    let mayCome =
      core.workers.mayCome(busy: core.busyWorkers)
      || core.workers.telling > threads.count(where: \.isTelling)
    hasFreeShare = !core.workers.isFull(busy: core.busyWorkers)
    workersAreLive =
      hasFreeShare && mayCome
      || core.running.contains { $0.runner == .worker && Self.thread(of: $0) == nil }
    loopIsLive = !core.loopRuns || !threads.contains(where: \.isLoop)
    for thread in threads {
      look()
      thread.isLive = false
      thread.blocker = nil
      thread.tasks = []
    }
    for thread in core.blocked.threads where thread.hasRoom {
      if case .room(let task) = thread.target { withRoom[task.queue] = thread }
    }
    for task in core.running.all { note(task) }
    for thread in threads {
      noteBusyCaller(thread)
      if !thread.isBusy { noteHelper(thread) }
    }
    work = threads
    while let thread = work.popLast() {
      look()
      if !thread.isLive, isLive(thread) { become(live: thread) }
    }
  }

  /// Counts what is looked at, in debug builds.
  @inline(__always) func look() {
    #if DEBUG
      core.blocked.counts.looks += 1
    #endif
  }

  /// Notes a task that runs.
  private mutating func note(_ task: RunningTask) {
    look()
    guard let thread = Self.thread(of: task) else { return }
    thread.tasks.append(task)
    countDead(task.queue, asBarrier: task.ranAsBarrier)
  }

  /// Notes a caller of `sync` whose thread runs something on top of its wait. One that was admitted has its share
  /// already. One that was not takes its share before entries that stand behind it.
  private mutating func noteBusyCaller(_ thread: BlockedThread) {
    guard case .admission(let caller) = thread.target, caller.lane == .background,
      !core.isRunning(caller), thread.isBusy
    else { return }
    guard caller.isAdmitted else {
      queues[caller.queue, default: Queue()].busyCallers.append(thread)
      return
    }
    thread.tasks.append(caller)
    countDead(caller.queue, asBarrier: caller.ranAsBarrier)
  }

  /// Notes a worker that waits in `sync`, and so may help in that queue: now, or once it comes back from what it runs
  /// on top of its wait.
  private mutating func noteHelper(_ thread: BlockedThread) {
    guard case .admission(let caller) = thread.target, thread.isWorker,
      helpers.insert(caller.queue).inserted
    else { return }
    work += waitersForWorkers
  }

  private mutating func countDead(_ queue: TaskQueue.Identity, asBarrier isBarrier: Bool) {
    queues[queue, default: Queue()].dead += 1
    if isBarrier { queues[queue]!.hasDeadBarrier = true }
  }

  /// The blocked thread that a running task is on; nil if the task goes on.
  private static func thread(of task: RunningTask) -> BlockedThread? {
    var next = task
    while let inner = next.waitsFor { next = inner }
    guard let thread = next.blockedOn, thread.isSearched else { return nil }
    return thread
  }

  // MARK: Going on

  private mutating func become(live thread: BlockedThread) {
    thread.isLive = true
    thread.blocker = nil
    work += waitersForThread.removeValue(forKey: ObjectIdentifier(thread)) ?? []
    for task in thread.tasks {
      queues[task.queue]!.dead -= 1
      if task.ranAsBarrier { queues[task.queue]!.hasDeadBarrier = false }
      lookAgain(task.queue)
    }
    if thread.isBusy, case .admission(let caller) = thread.target { lookAgain(caller.queue) }
    let bringsWorker =
      thread.isWorker && (hasFreeShare || thread.tasks.contains { $0.runner == .worker })
    if bringsWorker, !workersAreLive {
      workersAreLive = true
      work += waitersForWorkers
    }
    if thread.isLoop, !loopIsLive {
      loopIsLive = true
      work += waitersForLoop
    }
  }

  /// Looks again at the threads that wait for a queue, in which something has changed.
  private mutating func lookAgain(_ queue: TaskQueue.Identity) {
    guard let waiters = queues[queue]?.waiters, !waiters.isEmpty else { return }
    work += waiters
    queues[queue]!.waiters = []
  }

  private mutating func wait(_ thread: BlockedThread, for blocker: Blocker) -> Bool {
    thread.blocker = blocker
    switch blocker {
    case .thread(let other): waitersForThread[ObjectIdentifier(other), default: []].append(thread)
    case .queue(let queue): queues[queue, default: Queue()].waiters.append(thread)
    case .workers: waitersForWorkers.append(thread)
    case .loop: waitersForLoop.append(thread)
    }
    return false
  }

  private mutating func isLive(_ thread: BlockedThread) -> Bool {
    if thread.isBusy {
      // The thread comes back to its wait from what it runs on top of that, or never does.
      if let inner = thread.inner, inner.isSearched, !inner.isLive {
        return wait(thread, for: .thread(inner))
      }
      if let helped = thread.helped, let blocker = self.blocker(ofRunning: helped) {
        return wait(thread, for: blocker)
      }
      noteHelper(thread)
    }
    let blocker: Blocker? =
      switch thread.target {
      case .admission(let caller): self.blocker(ofAdmission: caller)
      case .item(let item): self.blocker(of: item)
      case .group(let group): self.blocker(of: group)
      case .room(let task): thread.hasRoom ? nil : blockerOfRoom(for: task)
      case .anything: nil
      }
    guard let blocker else { return true }
    return wait(thread, for: blocker)
  }

  // MARK: What a thread waits for

  private func blocker(ofRunning task: RunningTask) -> Blocker? {
    guard let thread = Self.thread(of: task), !thread.isLive else { return nil }
    return .thread(thread)
  }

  private var blockerOfLoop: Blocker? { loopIsLive ? nil : .loop }

  private mutating func blocker(ofAdmission caller: QueuedTask) -> Blocker? {
    if caller.hasRun || caller.isRejected { return nil }
    if caller.lane == .foreground {
      return core.isRunning(caller) ? blocker(ofRunning: caller) : blockerOfLoop
    }
    if caller.isAdmitted { return nil }
    return blocker(
      in: caller.queue, core.poolView(caller.view), before: (caller.position, caller.band),
      isBarrier: caller.isBarrier, needsWorker: false)
  }

  private mutating func blocker(of item: WorkItem) -> Blocker? {
    if item.outcome != nil { return nil }
    if item.isRunning { return core.runningTask(of: item).flatMap { blocker(ofRunning: $0) } }
    if item.next !== item { return blocker(of: item.next) }
    if circlesOnly { return nil }
    switch item.stage {
    case .nowhere: return nil
    case .due: return blockerOfLoop
    case .timers:
      if let blocker = blockerOfLoop { return blocker }
      return item.kind == .sleep ? nil : blocker(ofWaiting: item, before: nil)
    case .held:
      guard item.kind == .notification else { return blocker(ofWaiting: item, before: nil) }
      return nil
    case .queue, .posted:
      let position = item.place.position
      return blocker(ofWaiting: item, before: item.isBarrier ? nil : (position, item.band))
    }
  }

  private mutating func blocker(
    ofWaiting item: WorkItem, before place: (position: Int, band: PriorityBand)?
  ) -> Blocker? {
    if item.lane == .foreground { return blockerOfLoop }
    let view = item.view as? UVView
    return blocker(
      in: core.identity(of: .background, view), core.poolView(view), before: place,
      isBarrier: item.isBarrier, needsWorker: true)
  }

  /// What blocks the first member that cannot go on; nil if all members can. When that goes on, the search looks at the
  /// same member again. So it goes past each member once, however many threads wait for the group.
  private mutating func blocker(of group: WorkGroup) -> Blocker? {
    let name = ObjectIdentifier(group)
    while let member = groups[name].first {
      look()
      let blocker: Blocker? =
        switch member {
        case .running(let task): self.blocker(ofRunning: task)
        case .waiting(let item): self.blocker(of: item)
        // It gets room once what stands in its queue has made room: so it is behind all of that.
        case .withoutRoom(let item): self.blocker(ofWaiting: item, before: nil)
        }
      if let blocker { return blocker }
      groups[name].dropFirst()
    }
    return nil
  }

  private mutating func blockerOfRoom(for task: QueuedTask) -> Blocker? {
    if task.lane == .foreground { return blockerOfLoop }
    // The queue may be empty. A thread that has got room is about to put a task into it.
    if let other = withRoom[task.queue] {
      return other.isSearched && !other.isLive ? .thread(other) : nil
    }
    return blocker(
      in: task.queue, core.poolView(task.view), before: nil, isBarrier: false, needsWorker: true,
      isFirst: true)
  }

  /// What keeps an entry of a background queue from starting; nil if nothing does.
  ///
  /// - Parameters:
  ///   - place: Where the entry stands; nil if everything that waits there stands before it.
  ///   - isFirst: Whether nothing stands before it: any entry of the queue will do.
  private mutating func blocker(
    in identity: TaskQueue.Identity, _ view: PoolView<Entry>,
    before place: (position: Int, band: PriorityBand)?, isBarrier: Bool, needsWorker: Bool,
    isFirst: Bool = false
  ) -> Blocker? {
    // A suspended view counts as one that goes on: it may be resumed.
    let queue = queues[identity] ?? Queue()
    let isFenced: Bool
    if isFirst {
      // A barrier is next.
      isFenced = !view.queue.ready.hasStartable
    } else if let place, !isBarrier {
      isFenced = view.queue.ready.isFenced(
        at: place.position, in: place.band
      ) { _ in true }
    } else {
      isFenced = view.queue.ready.hasBarrier { _ in true }
    }
    let needsAll = isBarrier || isFenced
    let callers = isFirst ? 0 : countDeadCallers(queue, view, before: place, isBarrier: isBarrier)
    let dead = queue.dead + callers
    if queue.hasDeadBarrier || (needsAll ? dead > 0 : dead >= view.queue.width) {
      return .queue(identity)
    }
    if workersAreLive || mayHelp && helpers.contains(identity) { return nil }
    if needsWorker { return circlesOnly ? nil : .workers }
    guard let place else { return nil }
    // With room, this caller stands behind an entry that needs a worker: else it would have been admitted.
    let hasRoom =
      !needsAll && !view.queue.isSuspended && !view.queue.runsBarrier
      && view.queue.running < view.queue.width
    let isBehindOthers =
      hasRoom
      || view.queue.ready.isPreceded(
        at: place.position, in: place.band, isBarrier: isBarrier
      ) { !$0.runsOnCaller }
    return isBehindOthers ? .workers : nil
  }

  /// How many callers stand before `place` whose threads do not come back to run their bodies. O(what stands there), if
  /// any caller's thread runs something on top of its wait.
  private func countDeadCallers(
    _ queue: Queue, _ view: PoolView<Entry>, before place: (position: Int, band: PriorityBand)?,
    isBarrier: Bool
  ) -> Int {
    let callers = queue.busyCallers.filter {
      look()
      return !$0.isLive
    }
    guard let place, !callers.isEmpty else { return callers.count }
    var count = 0
    _ = view.queue.ready.isPreceded(at: place.position, in: place.band, isBarrier: isBarrier) {
      look()
      if case .task(let task) = $0, callers.contains(where: { $0.isWaiting(for: task) }) {
        count += 1
      }
      return false
    }
    return count
  }

  // MARK: The answer

  /// The threads that are not live.
  var dead: [BlockedThread] {
    core.blocked.threads.filter {
      look()
      return $0.isSearched && !$0.isLive
    }
  }
}
