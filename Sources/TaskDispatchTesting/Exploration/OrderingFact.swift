/// What makes an order different from the one that the fake prefers.
public enum OrderingFact: Hashable, Sendable {
  /// The first one could run, and the second one went first. The second one may be the time of a
  /// timer: then that much time passed meanwhile.
  case waits(TaskPath, for: TaskPath)
  /// It had taken its slot by the time of this call, and its body had not run.
  case started(TaskPath, before: TaskPath)
  /// What ``RecordingDispatcher/choose(_:_:)`` returned: the index, and the value as text.
  case chose(TaskPath, Int, String)

  /// The names that must mean something in the scenario.
  var paths: [TaskPath] {
    switch self {
    case .waits(let task, let other): [task, other]
    case .started(let task, let call): [task, call]
    case .chose(let call, _, _): [call]
    }
  }

  /// As a token holds it.
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

/// Facts to be kept to, found by the task that they are about.
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

  /// The first that waits for nothing. If all do, some fact means nothing here any more, and the
  /// first goes.
  ///
  /// Behind a task that waits for a time nobody starts before that time, but if somebody waits for
  /// it: that would give the task its slot, which matters if it expires, and it may be a stranger.
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

  /// Everything up to the last that has started.
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
