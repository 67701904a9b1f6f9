internal import TaskDispatch

/// The names of tasks in one run, and the facts about how its order differs from the preferred one.
///
/// A name says how its task came to be. It is not a number, which another order would give to another task. It is the
/// name of the task's parent, and then the task's label, or else its file and line. The second task of the same name
/// ends with `#2`. A job of a Swift Task is named after the first job of that Task, whichever task has resumed it.
struct TaskNames {
  private var names: [UInt64: TaskPath] = [:]
  private var counts: [TaskPath: Int] = [:]
  private var swiftTasks: [String: (path: TaskPath, jobs: Int)] = [:]
  private var timesFired: [UInt64: Int] = [:]
  private(set) var isOver: Set<TaskPath> = []
  /// The names in ``isOver``, in the order in which they came there.
  private(set) var order: [TaskPath] = []
  /// The facts, each once, in the order in which they came about.
  private(set) var facts: [OrderingFact] = []
  private var known: Set<OrderingFact> = []
  /// Moves that were made where others could have been, in their order.
  private(set) var passed: [PassedMove] = []
  /// Every name that was given.
  private(set) var all: Set<TaskPath> = []

  // MARK: Naming

  mutating func name(_ entry: Entry, swiftTask: String?) {
    let parent = entry.parent.flatMap { names[$0.record.id.number] }
    if let swiftTask, let known = swiftTasks[swiftTask] {
      swiftTasks[swiftTask] = (known.path, known.jobs + 1)
      names[entry.id] = known.path.resumption(known.jobs)
      all.insert(names[entry.id]!)
      return
    }
    let path = unique(TaskPath(entry.label ?? Self.place(entry), under: parent))
    names[entry.id] = path
    if let swiftTask { swiftTasks[swiftTask] = (path, 1) }
  }

  private static func place(_ entry: Entry) -> String {
    if case .job = entry.work { return "Task" }
    return "\(entry.site)"
  }

  private mutating func unique(_ path: TaskPath) -> TaskPath {
    let count = counts[path, default: 0] + 1
    counts[path] = count
    let unique = count == 1 ? path : path.numbered(count)
    all.insert(unique)
    return unique
  }

  func path(of entry: Entry) -> TaskPath {
    names[entry.id] ?? TaskPath(entry.label ?? "\(entry.site)", under: nil)
  }

  func path(of id: TaskID) -> TaskPath { names[id.number] ?? TaskPath("\(id)", under: nil) }

  /// The tasks that `facts` are about. A fact about a task's time, or about a call on the task, is about the task.
  func tasks(of facts: [OrderingFact]) -> Set<TaskID> {
    let wanted = Set(facts.flatMap(\.paths).map(\.task))
    return Set(names.lazy.filter { wanted.contains($0.value) }.map { TaskID($0.key) })
  }

  /// The last part of a task's name. For a task without a label: its file and line.
  func shortName(_ task: TaskRecord) -> String {
    guard let path = names[task.id.number], task.label != nil || path.isOfSwiftTask else {
      return task.label.map { "\"\($0)\"" } ?? Timeline.lastPart(of: "\(task.site)")
    }
    return path.lastPart
  }

  func path(of move: ExploredMove) -> TaskPath {
    guard case .time = move.action else { return path(of: move.entry) }
    return firing(of: move.entry, timesFired[move.entry.id, default: 0] + 1)
  }

  private func firing(of timer: Entry, _ count: Int) -> TaskPath {
    let path = path(of: timer).firing
    return count == 1 ? path : path.numbered(count)
  }

  /// Names a call that a body makes.
  mutating func call(_ label: String, by caller: Entry?) -> TaskPath {
    unique(TaskPath(label, under: caller.map { path(of: $0) }))
  }

  /// Names a call that can observe which tasks have started: after the task that it is about, if there is one.
  mutating func call(
    _ call: StartCall, of queue: String?, by caller: Entry?, about subject: Entry?
  ) -> TaskPath {
    if case .cutOff = call { return unique(TaskPath(call.rawValue, under: nil)) }
    guard let subject else {
      let name = queue.map { "\(call.rawValue) \($0)" } ?? call.rawValue
      return unique(TaskPath(name, under: caller.map { self.path(of: $0) }))
    }
    let path = path(of: subject).call(call)
    all.insert(path)
    return path
  }

  /// The fact that `entry` has taken its slot before `call`. Nil if the call has no name.
  func start(of entry: Entry, before call: NamedCall) -> OrderingFact? {
    let path = path(of: entry)
    switch call {
    case .name(let name): return .started(path, before: name)
    case .ownExpiry: return .started(path, before: path.call(.expiry))
    case .unnamed: return nil
    }
  }

  // MARK: What has happened

  mutating func over(_ entry: Entry) { over(path(of: entry)) }

  private mutating func over(_ path: TaskPath) {
    isOver.insert(path)
    order.append(path)
  }

  mutating func fired(_ timer: Entry) {
    let count = timesFired[timer.id, default: 0] + 1
    timesFired[timer.id] = count
    let path = firing(of: timer, count)
    all.insert(path)
    over(path)
  }

  // MARK: Facts

  mutating func noteMove(_ moves: [ExploredMove], _ chosen: Int) {
    let paths = moves.map(path(of:))
    for path in paths[..<chosen] { add(.waits(path, for: paths[chosen])) }
    passed.append(PassedMove(chosen: chosen, paths: paths))
  }

  mutating func noteStarts(_ entries: some Sequence<Entry>, before call: NamedCall) {
    for entry in entries {
      if let fact = start(of: entry, before: call) { add(fact) }
    }
  }

  mutating func noteValue(_ name: TaskPath, _ chosen: Int, _ text: String) {
    add(.chose(name, chosen, text))
  }

  private mutating func add(_ fact: OrderingFact) {
    if known.insert(fact).inserted { facts.append(fact) }
  }
}

/// A move that was made where others could have been.
struct PassedMove {
  let chosen: Int
  /// The names of all moves that could have been made, in the order in which the fake prefers them.
  let paths: [TaskPath]

  var winner: TaskPath { paths[chosen] }
}
