/// What every thread, body and queue of a dispatcher does at one moment, as far as waits are concerned.
///
/// Queue 0 is the foreground, queue 1 the background, and the others are views.
struct WaitState: Sendable, Hashable {
  enum Place: Sendable, Hashable {
    case loop
    case worker(UInt)
    /// A thread that does not belong to the dispatcher.
    case outside(Int)
  }

  enum Work: Sendable, Hashable {
    case task(Int)
    /// The body of a `sync`, by the number of its place in the queue.
    case syncBody(Int)
    case callback(Int)
    case outsider(Int)
  }

  enum Target: Sendable, Hashable {
    case sync(queue: Int, ticket: Int)
    case task(Int)
    /// Also ends once the group has emptied more often than `round` times.
    case group(Int, round: Int)
  }

  enum Activity: Sendable, Hashable {
    /// Between two gates: it goes on by itself.
    case moving
    /// At a gate of the driver.
    case held
    case waiting(Target, isTimed: Bool)
  }

  /// A script on the stack of a thread.
  struct Frame: Sendable, Hashable {
    var number: Int
    var place: Place
    var work: Work
    /// The queue of whose width it takes a part.
    var queue: Int?
    var isBarrier = false
    var activity = Activity.moving

    /// The queue of a task; for a callback, the queue of the task that has ended before it.
    func queueOfEndingTask(in state: WaitState) -> Int? {
      switch work {
      case .task: queue
      case .callback(let callback): state.queuesOfCallbacks[callback]
      case .syncBody, .outsider: nil
      }
    }

    var isWaiting: Bool { if case .waiting = activity { true } else { false } }
  }

  /// An entry of a queue.
  struct Item: Sendable, Hashable {
    enum Content: Sendable, Hashable {
      case task(Int)
      /// A frame that waits in `sync`.
      case caller(context: Int, ticket: Int)
    }
    var content: Content
    var isBarrier = false
  }

  struct Queue: Sendable, Hashable {
    var width: Int
    var items: [Item] = []
    var suspensions = 0
  }

  struct Group: Sendable, Hashable {
    var members: [Int] = []
    var handEntries = 0
    var round = 0
    var isEmpty: Bool { members.isEmpty && handEntries == 0 }
  }

  struct Timer: Sendable, Hashable {
    var task: Int
    var queue: Int
    var isBarrier = false
  }

  var workers: Int
  let threads: Int
  var queues: [Queue]
  var groups: [Group] = []
  /// The frames of one thread are in the order of its stack.
  var contexts: [Frame] = []
  var timers: [Timer] = []
  var endedTasks: Set<Int> = []
  var endedTickets: Set<Int> = []
  /// Callbacks that are due and have not begun.
  var dueCallbacks: Set<Int> = []
  /// The batch of each callback. Callbacks of one batch run one after the other on one thread.
  var batches: [Int: Int] = [:]
  /// The queue of the task that has ended before a callback.
  var queuesOfCallbacks: [Int: Int] = [:]

  /// - Parameters:
  ///   - threads: The threads of the pool that bodies and callbacks may have; as many as workers if nil.
  ///   - views: The widths of the views.
  init(workers: Int, threads: Int? = nil, views: [Int] = [], groups: Int = 0) {
    self.workers = workers
    self.threads = threads ?? workers
    queues = ([1, workers] + views).map { Queue(width: $0) }
    self.groups = (0..<groups).map { _ in Group() }
  }

  // MARK: What can be asked

  func index(ofFrame number: Int) -> Int? { contexts.firstIndex { $0.number == number } }

  func context(_ number: Int) -> Frame? { contexts.first { $0.number == number } }

  /// Whether nothing stands above it on its thread's stack.
  func isOnTop(_ context: Frame) -> Bool {
    contexts.last { $0.place == context.place }?.number == context.number
  }

  var tops: [Frame] { contexts.filter(isOnTop) }

  var busyWorkers: Int {
    var places: Set<Place> = []
    for context in contexts { if case .worker = context.place { places.insert(context.place) } }
    return places.count
  }

  /// Whether a task that has room in its queue finds a thread. A callback takes no worker from the bodies, but
  /// a thread of the pool. So does the body of a `sync` in a callback.
  var hasWorker: Bool {
    var places: Set<Place> = []
    for context in contexts {
      if case .worker = context.place, case .task = context.work { places.insert(context.place) }
    }
    return places.count < workers && busyWorkers < threads
  }

  /// Whether the wait of `context` may be refused: its thread is the dispatcher's, or has a task or a `sync` body
  /// of the dispatcher on its stack.
  func isRefusable(_ context: Frame) -> Bool {
    guard case .outside = context.place else { return true }
    return contexts.contains { other in
      if other.place == context.place, case .syncBody = other.work { true } else { false }
    }
  }

  /// Whether a callback stands on its thread's stack.
  func isInCallback(_ context: Frame) -> Bool {
    contexts.contains { other in
      if other.place == context.place, case .callback = other.work { true } else { false }
    }
  }

  /// Whether the target has come about in this state.
  func hasComeAbout(_ target: Target) -> Bool {
    switch target {
    case .sync(_, let ticket): endedTickets.contains(ticket)
    case .task(let task): endedTasks.contains(task)
    case .group(let group, let round): groups[group].round != round || groups[group].isEmpty
    }
  }

  /// Whether the first item of the queue has room in it, and a thread. Suspensions do not count here.
  ///
  /// - Parameter helps: Whether a worker that waits in a `sync` of the queue may run its first task.
  func canStartFirst(of queue: Int, helps: Bool) -> Bool {
    guard let first = queues[queue].items.first else { return false }
    let running = contexts.filter { $0.queue == queue }
    if running.contains(where: \.isBarrier) { return false }
    guard first.isBarrier ? running.isEmpty : running.count < queues[queue].width else {
      return false
    }
    if queue == WaitProgram.foreground { return !contexts.contains { $0.place == .loop } }
    switch first.content {
    case .caller(let number, _):
      guard let caller = context(number) else { return false }
      return isOnTop(caller) && callsBack(to: queue, from: caller) != .surely
    case .task: return hasWorker || helps && helper(of: queue) != nil
    }
  }

  enum Certainty { case no, perhaps, surely }

  /// Whether a `sync` of `context` on `queue` would wait for a frame that waits for it. Such a call is refused,
  /// whatever the width of the queue.
  ///
  /// - Returns: `.perhaps` if that frame stands on the stack of another thread or below a callback.
  func callsBack(to queue: Int, from context: Frame) -> Certainty {
    var next: Frame? = context
    var isCertain = true
    while let current = next {
      if current.queue == queue { return isCertain ? .surely : .perhaps }
      switch current.work {
      case .syncBody(let ticket):
        next = contexts.first { other in
          if case .waiting(.sync(_, ticket), _) = other.activity { true } else { false }
        }
      case .callback:
        isCertain = false
        let stack = contexts.filter { $0.place == current.place }
        let index = stack.firstIndex { $0.number == current.number } ?? 0
        next = index > 0 ? stack[index - 1] : nil
      case .task, .outsider: next = nil
      }
      if let next, next.place != current.place { isCertain = false }
    }
    return .no
  }

  /// Whether a frame waits for the task that it runs in, or for a group of that task. Such a wait is refused at
  /// once, also with a time-out.
  func awaitsItself(_ context: Frame) -> Bool {
    guard case .waiting(let target, _) = context.activity else { return false }
    let stack = contexts.filter { $0.place == context.place }.prefix { $0.number != context.number }
    return (stack + [context]).contains { other in
      guard case .task(let task) = other.work else { return false }
      return switch target {
      case .task(let awaited): awaited == task
      case .group(let group, _): groups[group].members.contains(task)
      case .sync: false
      }
    }
  }

  func helper(of queue: Int) -> Frame? { helpers(of: queue).first }

  /// The frames of workers that could run the first task of `queue` while they wait.
  func helpers(of queue: Int) -> [Frame] {
    guard queue != WaitProgram.foreground else { return [] }
    return tops.filter { top in
      guard case .worker = top.place, case .waiting(.sync(queue, _), _) = top.activity else {
        return false
      }
      return true
    }
  }

  /// The due callback that begins next of its batch. Nil if none is due, or if another of each batch has not
  /// ended.
  var nextCallback: Int? {
    dueCallbacks.sorted().first { due in
      !contexts.contains { context in
        if case .callback(let other) = context.work {
          batches[other] == batches[due]
        } else {
          false
        }
      }
    }
  }

  // MARK: What the record cannot know

  /// This state, and the one in which the time of each timer has passed. Its task then stands before what
  /// was submitted later.
  var withTimersLate: [WaitState] {
    guard !timers.isEmpty else { return [self] }
    var late = self
    for timer in timers.reversed() {
      late.queues[timer.queue].items.insert(
        Item(content: .task(timer.task), isBarrier: timer.isBarrier), at: 0)
    }
    late.timers = []
    return [self, late]
  }

  /// All states that are possible: with timers late or not, and with a callback still in the place of the
  /// task that has ended before it or not. The rule says neither.
  var possible: [WaitState] {
    withTimersLate.flatMap { state -> [WaitState] in
      var narrow = state
      for index in narrow.contexts.indices {
        guard case .callback(let callback) = narrow.contexts[index].work else { continue }
        narrow.contexts[index].queue = queuesOfCallbacks[callback]
      }
      return narrow == state ? [state] : [state, narrow]
    }
  }

  // MARK: What can happen

  mutating func endTask(_ task: Int) {
    endedTasks.insert(task)
    // Groups are left before the callbacks of the task.
    leaveGroups(task)
  }

  private mutating func leaveGroups(_ task: Int) {
    for group in groups.indices where groups[group].members.contains(task) {
      groups[group].members.removeAll { $0 == task }
      if groups[group].isEmpty { groups[group].round += 1 }
    }
  }

  mutating func endFrame(_ number: Int) {
    guard let index = index(ofFrame: number) else { return }
    let context = contexts.remove(at: index)
    switch context.work {
    case .task(let task): endTask(task)
    case .syncBody(let ticket): endedTickets.insert(ticket)
    case .callback(let callback): endCallback(callback)
    case .outsider: break
    }
  }

  /// A wait of `context` is over. A `sync` that was not admitted leaves its queue.
  mutating func withdraw(_ target: Target, of context: Frame) {
    guard case .sync(let queue, let ticket) = target else { return }
    queues[queue].items.removeAll { $0.content == .caller(context: context.number, ticket: ticket) }
  }

  mutating func endCallback(_ callback: Int) {
    dueCallbacks.remove(callback)
  }
}
