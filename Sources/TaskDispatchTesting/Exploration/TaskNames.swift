internal import TaskDispatch

/// What tasks are called in one run: by how they came to be, and not by a number that another order
/// would give to another task. And the facts about the order that were different from what is
/// preferred.
///
/// A name is the name of the task that submitted it, and then its label, or else its file and line;
/// the second of the same name ends with `#2`. A job of a Swift Task is called after the first job of
/// that Task, whoever has resumed it.
struct TaskNames {
  private var names: [UInt64: TaskPath] = [:]
  private var counts: [TaskPath: Int] = [:]
  private var swiftTasks: [String: (path: TaskPath, jobs: Int)] = [:]
  private var timesFired: [UInt64: Int] = [:]
  private(set) var isOver: Set<TaskPath> = []
  /// In the order in which they came about, each once.
  private(set) var facts: [OrderingFact] = []
  private var known: Set<OrderingFact> = []
  /// Everything that was ever named.
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

  /// The tasks that facts are about, also by their times and by what was called on them.
  func tasks(of facts: [OrderingFact]) -> Set<TaskID> {
    let wanted = Set(facts.flatMap(\.paths).map(\.task))
    return Set(names.lazy.filter { wanted.contains($0.value) }.map { TaskID($0.key) })
  }

  /// The last part of a name, or where a task comes from that has no label.
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

  /// What a call of a body is called.
  mutating func call(_ label: String, by caller: Entry?) -> String {
    unique(TaskPath(label, under: caller.map { path(of: $0) })).text
  }

  /// What a call is called by which somebody can tell what has started: after the task that it is
  /// about, if there is one.
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

  /// That `entry` has taken its slot by then. Nil if nobody asks.
  func start(of entry: Entry, before call: NamedCall) -> OrderingFact? {
    let path = path(of: entry)
    switch call {
    case .name(let name): return .started(path, before: name)
    case .ownExpiry: return .started(path, before: path.call(.expiry))
    case .unnamed: return nil
    }
  }

  // MARK: What has happened

  mutating func over(_ entry: Entry) { isOver.insert(path(of: entry)) }

  mutating func fired(_ timer: Entry) {
    let count = timesFired[timer.id, default: 0] + 1
    timesFired[timer.id] = count
    let path = firing(of: timer, count)
    all.insert(path)
    isOver.insert(path)
  }

  // MARK: Facts

  mutating func noteMove(_ moves: [ExploredMove], _ chosen: Int) {
    let winner = path(of: moves[chosen])
    for move in moves[..<chosen] { add(.waits(path(of: move), for: winner)) }
  }

  mutating func noteStarts(_ entries: some Sequence<Entry>, before call: NamedCall) {
    for entry in entries {
      if let fact = start(of: entry, before: call) { add(fact) }
    }
  }

  mutating func noteValue(_ name: String, _ chosen: Int, _ text: String) {
    add(.chose(TaskPath(text: name), chosen, text))
  }

  private mutating func add(_ fact: OrderingFact) {
    if known.insert(fact).inserted { facts.append(fact) }
  }
}

/// What a task is called in every order: see ``TaskNames``.
public struct TaskPath: Hashable, Sendable, Comparable {
  /// As a token holds it: parts between slashes, in which what is no letter, digit, `.`, `_`, `:` or
  /// `-` is written as `%` and two hexadecimal digits a byte.
  let text: String

  init(text: String) { self.text = text }

  init(_ name: String, under parent: TaskPath?) {
    text = (parent.map { $0.text + "/" } ?? "") + Self.encoded(name)
  }

  func numbered(_ count: Int) -> TaskPath { TaskPath(text: "\(text)+\(count)") }

  func resumption(_ number: Int) -> TaskPath { TaskPath(text: "\(text)+r\(number)") }

  func call(_ call: StartCall) -> TaskPath { TaskPath(text: "\(text)+\(call.rawValue)") }

  /// Without what tells it from others of the same name, and from the times of a timer.
  var unmarked: TaskPath {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return TaskPath(text: parts.map { $0.prefix { $0 != "+" } }.joined(separator: "/"))
  }

  var firing: TaskPath { TaskPath(text: text + "+time") }

  /// The task itself, if this is its time, or a call about it.
  var task: TaskPath {
    let parts = text.split(separator: "+", omittingEmptySubsequences: false)
    guard
      let mark = parts.indices.dropFirst().last(where: {
        parts[$0] == "time" || StartCall(rawValue: String(parts[$0])) != nil
      }), !parts[mark...].contains(where: { $0.contains("/") })
    else { return self }
    return TaskPath(text: parts[..<mark].joined(separator: "+"))
  }

  /// As a person reads it, without what submitted it.
  var lastPart: String {
    TaskPath(text: String(text.split(separator: "/").last ?? "")).description
  }

  /// Whether it is a job of a Swift Task, which has no label.
  var isOfSwiftTask: Bool { text.split(separator: "/").last?.prefix { $0 != "+" } == "Task" }

  /// Whether it is the time of a timer, and not a task.
  var isFiring: Bool { text.split(separator: "/").last?.contains("+time") ?? false }

  public static func < (lhs: TaskPath, rhs: TaskPath) -> Bool { lhs.text < rhs.text }

  private static func encoded(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: ":"), UInt8(ascii: "-"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += byte < 16 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        rest = rest.dropFirst(2)
        bytes.append(value)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// An empty label is a label.
  static func isValid(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "%"), UInt8(ascii: "/"),
        UInt8(ascii: "+"):
        true
      default: false
      }
    }
  }
}

extension TaskPath: CustomStringConvertible {
  /// `"type s" / "fetch"`, with a `#2` at the second of the same name.
  public var description: String {
    text.split(separator: "/", omittingEmptySubsequences: false).map { part in
      let marks = part.split(separator: "+", omittingEmptySubsequences: false)
      var shown = "\"\(Self.decoded(marks.first ?? ""))\""
      for mark in marks.dropFirst() {
        if mark == "time" {
          shown = "the time of \(shown)"
        } else if let call = StartCall(rawValue: String(mark)) {
          shown = "the \(call.rawValue) of \(shown)"
        } else if mark.first == "r" {
          shown += " resumed (\(mark.dropFirst()))"
        } else {
          shown += " #\(mark)"
        }
      }
      return shown
    }.joined(separator: " / ")
  }
}
