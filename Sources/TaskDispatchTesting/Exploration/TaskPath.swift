/// What a task is called in every order: see ``TaskNames``.
///
/// Shares all but its last part with the path of what submitted it, so a chain of tasks costs each of them the same,
/// however long it is. Two paths are compared by digests of 128 bits, and not part by part.
public struct TaskPath: Hashable, Sendable, Comparable {
  private let node: Node

  /// One part, and what stands before it.
  private final class Node: @unchecked Sendable {
    /// What is no letter, digit, `.`, `_`, `:` or `-` is written as `%` and two hexadecimal digits a byte. After a `+`
    /// stands what tells it from others of the same name.
    let part: String
    /// Changed in `deinit` alone.
    private(set) var parent: Node?
    let digest: PathDigest
    /// Of the names alone.
    let unmarked: PathDigest
    /// How many parts there are.
    let depth: Int
    /// How many parts end here that are all the same.
    let run: Int
    /// What stands before those. An ancestor, which lives as long as this.
    unowned let beforeRun: Node?

    init(_ part: String, under parent: Node?) {
      self.part = part
      self.parent = parent
      digest = (parent?.digest ?? PathDigest()).followed(by: part.utf8[...])
      unmarked = (parent?.unmarked ?? PathDigest()).followed(
        by: part.utf8.prefix { $0 != UInt8(ascii: "+") })
      depth = (parent?.depth ?? 0) + 1
      if let parent, parent.part == part {
        run = parent.run + 1
        beforeRun = parent.beforeRun
      } else {
        run = 1
        beforeRun = parent
      }
    }

    /// Releases a long chain link by link, and not each link inside the release of the one before.
    deinit {
      var next = parent.take()
      while var node = next {
        next = nil
        guard isKnownUniquelyReferenced(&node) else { return }
        next = node.parent.take()
      }
    }

    /// The same part with something behind it, under the same parent.
    func marked(_ mark: String) -> Node { Node("\(part)+\(mark)", under: parent) }
  }

  private init(_ node: Node) { self.node = node }

  init(_ name: String, under parent: TaskPath?) {
    node = Node(Self.encoded(name), under: parent?.node)
  }

  // MARK: As text

  /// As a token holds it: parts between slashes; of several that are the same, one and their number: `poll*200`.
  var text: String { runs(atMost: .max).map(\.text).joined(separator: "/") }

  /// A text that ``isValid(_:)``.
  init(text: String) {
    var node: Node?
    for piece in text.split(separator: "/", omittingEmptySubsequences: false) {
      let (part, count) = Self.run(piece)
      for _ in 0..<(count ?? 1) { node = Node(String(part), under: node) }
    }
    self.node = node!
  }

  private struct Run {
    let part: String
    let count: Int
    var text: String { count == 1 ? part : "\(part)*\(count)" }
  }

  /// The last parts, those that are the same as one. Complexity: O(`most`).
  private func runs(atMost most: Int) -> [Run] {
    var runs: [Run] = []
    var next: Node? = node
    while let node = next, runs.count < most {
      runs.append(Run(part: node.part, count: node.run))
      next = node.beforeRun
    }
    return runs.reversed()
  }

  /// A part of a text, and how often it stands there; nil for a number that there cannot be.
  private static func run(_ piece: Substring) -> (part: Substring, count: Int?) {
    guard let star = piece.firstIndex(of: "*") else { return (piece, 1) }
    let count = Int(piece[piece.index(after: star)...])
    return (piece[..<star], count.flatMap { (2...mostOfARun).contains($0) ? $0 : nil })
  }

  /// More than a run has steps, and few enough to be made of a token.
  private static var mostOfARun: Int { 10_000_000 }

  // MARK: Others

  func numbered(_ count: Int) -> TaskPath { TaskPath(node.marked("\(count)")) }

  func resumption(_ number: Int) -> TaskPath { TaskPath(node.marked("r\(number)")) }

  func call(_ call: StartCall) -> TaskPath { TaskPath(node.marked(call.rawValue)) }

  var firing: TaskPath { TaskPath(node.marked("time")) }

  /// The same for all paths of the same names, whatever tells them from each other and from the times of a timer.
  var unmarked: PathDigest { node.unmarked }

  /// The task itself, if this is its time, or a call about it.
  var task: TaskPath {
    let marks = node.part.split(separator: "+", omittingEmptySubsequences: false)
    let last = marks.indices.dropFirst().last {
      marks[$0] == "time" || StartCall(rawValue: String(marks[$0])) != nil
    }
    guard let last else { return self }
    return TaskPath(Node(marks[..<last].joined(separator: "+"), under: node.parent))
  }

  /// As a person reads it, without what submitted it.
  var lastPart: String { Self.shown(node.part) }

  /// Whether it is a job of a Swift Task, which has no label.
  var isOfSwiftTask: Bool { node.part.prefix { $0 != "+" } == "Task" }

  /// Whether it is the time of a timer, and not a task.
  var isFiring: Bool { node.part.contains("+time") }

  public static func == (one: TaskPath, other: TaskPath) -> Bool {
    one.node.digest == other.node.digest
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(node.digest) }

  public static func < (lhs: TaskPath, rhs: TaskPath) -> Bool { lhs.text < rhs.text }

  // MARK: Names

  private static func encoded(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      switch byte {
      case _ where isPlain(byte): text.unicodeScalars.append(Unicode.Scalar(byte))
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

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: ":"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// An empty label is a label.
  static func isValid(_ text: some StringProtocol) -> Bool {
    Substring(text).split(separator: "/", omittingEmptySubsequences: false).allSatisfy { piece in
      let (part, count) = run(piece)
      return count != nil
        && part.utf8.allSatisfy {
          isPlain($0) || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+")
        }
    }
  }

  private static func shown(_ part: String) -> String {
    let marks = part.split(separator: "+", omittingEmptySubsequences: false)
    var shown = "\"\(decoded(marks.first ?? ""))\""
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
  }
}

extension TaskPath: CustomStringConvertible {
  /// How many parts, or runs of parts, a person is shown.
  private static var mostShown: Int { 6 }

  /// `"type s" / "fetch"`, with a `#2` at the second of the same name; `"poll" × 200` for one that each submitted the
  /// next; of more than six parts the last ones.
  public var description: String {
    let runs = runs(atMost: Self.mostShown)
    let shown = runs.map { Self.shown($0.part) + ($0.count == 1 ? "" : " × \($0.count)") }
    let left = node.depth - runs.reduce(0) { $0 + $1.count }
    return (left == 0 ? "" : "(\(left) before) / ") + shown.joined(separator: " / ")
  }
}

/// Tells one path from another: of 128 bits, so that no two of a program that ends are taken for one.
struct PathDigest: Hashable, Sendable {
  private var first: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var second: UInt64 = 0xD1B5_4A32_D192_ED03

  func followed(by part: some Sequence<UInt8>) -> PathDigest {
    var digest = self
    for byte in part { digest.add(UInt64(byte) + 1) }
    digest.add(0)
    return digest
  }

  private mutating func add(_ number: UInt64) {
    first = Dice.mixed((first ^ number) &* 0x9FB2_1C65_1E98_DF25)
    second = (second &+ number) &* 0xDA94_2042_E4DD_58B5
    second ^= second >> 31
  }
}
