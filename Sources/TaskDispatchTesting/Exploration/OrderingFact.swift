/// One way in which an order differs from the one that the fake prefers.
public enum OrderingFact: Hashable, Sendable {
  /// The first task could run, and the second one went first. The second may be the time of a timer: time passed up to
  /// there.
  case waits(TaskPath, for: TaskPath)
  /// The task had taken its slot before this call, and its body had not run.
  case started(TaskPath, before: TaskPath)
  /// What ``RecordingDispatcher/choose(_:_:)`` returned: the call, the index, and the value as text.
  case chose(TaskPath, Int, String)

  /// The names that the scenario must have.
  var paths: [TaskPath] {
    switch self {
    case .waits(let task, let other): [task, other]
    case .started(let task, let call): [task, call]
    case .chose(let call, _, _): [call]
    }
  }

  /// The fact as a token holds it.
  var text: String {
    switch self {
    case .waits(let task, let other): "\(task.text)~\(other.text)"
    case .started(let task, let call): "\(task.text)@\(call.text)"
    case .chose(let call, let index, _): "\(call.text)=\(index)"
    }
  }

  init?(text: Substring) {
    guard let mark = text.firstIndex(where: { "~@=".contains($0) }) else { return nil }
    let (before, after) = (text[..<mark], text[text.index(after: mark)...])
    guard TaskPath.isValid(before) else { return nil }
    let first = TaskPath(text: String(before))
    if text[mark] == "=" {
      guard let index = Int(after), index >= 0 else { return nil }
      self = .chose(first, index, "")
      return
    }
    guard TaskPath.isValid(after) else { return nil }
    let second = TaskPath(text: String(after))
    self = text[mark] == "~" ? .waits(first, for: second) : .started(first, before: second)
  }
}

extension OrderingFact: CustomStringConvertible {
  public var description: String {
    switch self {
    case .waits(let task, let other): "\(task) waits for \(other)"
    case .started(let task, let call): "\(task) has taken its slot before \(call)"
    case .chose(let call, let index, let text):
      "\(call) is \(text.isEmpty ? "value \(index)" : text)"
    }
  }
}

/// Facts that a run keeps to, indexed by the task that they are about.
struct FactIndex: Sendable {
  let facts: [OrderingFact]
  private var waits: [TaskPath: [TaskPath]] = [:]
  private var starts: Set<OrderingFact> = []
  private var values: [TaskPath: Int] = [:]

  init(_ facts: [OrderingFact]) {
    self.facts = facts
    for fact in facts {
      switch fact {
      case .waits(let task, let other): waits[task, default: []].append(other)
      case .started: starts.insert(fact)
      case .chose(let call, let index, _): values[call] = index
      }
    }
  }

  /// The index of the first move that waits for nothing. If all wait, some fact no longer fits the scenario.
  ///
  /// Behind a task that waits for a time, no task starts before that time, unless a fact awaits it. Its start would
  /// give the waiting task a slot as well, which matters if that task expires, and the started task may be unrelated.
  func choose(among moves: [ExploredMove], _ names: TaskNames) -> Int {
    var awaited: Set<TaskPath> = []
    var awaitsTime = false
    var second: Int?
    for (index, move) in moves.enumerated() {
      let path = names.path(of: move)
      let others = waits[path]?.filter { !names.isOver.contains($0) } ?? []
      if others.isEmpty {
        if !awaitsTime || !move.takesSlotOrTime || awaited.contains(path) { return index }
        second = second ?? index
      } else {
        awaited.formUnion(others)
        if case .start = move.action, others.contains(where: \.isFiring) { awaitsTime = true }
      }
    }
    return second ?? 0
  }

  /// How many of `entries` have started: all up to the last one of which a fact says so.
  func starts(of entries: [Entry], before call: NamedCall, _ names: TaskNames) -> Int {
    guard !starts.isEmpty else { return 0 }
    let last = entries.lastIndex { entry in
      names.start(of: entry, before: call).map(starts.contains) ?? false
    }
    return last.map { $0 + 1 } ?? 0
  }

  func value(of call: TaskPath, among count: Int) -> Int {
    let index = values[call] ?? 0
    return index < count ? index : 0
  }
}
