/// The name of a task in every order: see ``TaskNames``.
///
/// It shares all parts but the last with the path of the task's parent. So in a chain of tasks, each task costs the
/// same, however long the chain is. Two paths are compared by digests of 128 bits, and not part by part.
public struct TaskPath: Hashable, Sendable, Comparable {
  private let node: Node

  /// One part, and a link to the parts before it.
  private final class Node: @unchecked Sendable {
    /// Letters, digits, `.`, `_`, `:` and `-` stand for themselves. Any other byte is written as `%` and two
    /// hexadecimal digits. A mark after a `+` tells the part from others of the same name.
    let part: String
    /// Changed only in `deinit`.
    private(set) var parent: Node?
    let digest: PathDigest
    /// A digest of the names alone, without their marks.
    let unmarked: PathDigest
    /// The number of parts.
    let depth: Int
    /// How many equal parts in a row end here.
    let run: Int
    /// The node before those parts. It is an ancestor, which lives as long as this node.
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

    /// Releases a long chain link by link. A nested release, each link inside the one before, would use up the stack.
    deinit {
      var next = parent.take()
      while var node = next {
        next = nil
        guard isKnownUniquelyReferenced(&node) else { return }
        next = node.parent.take()
      }
    }

    /// A node under the same parent, with a mark behind the same part.
    func marked(_ mark: String) -> Node { Node("\(part)+\(mark)", under: parent) }
  }

  private init(_ node: Node) { self.node = node }

  init(_ name: String, under parent: TaskPath?) {
    node = Node(Self.encoded(name), under: parent?.node)
  }

  // MARK: As text

  /// The path as a token holds it: parts between slashes. Equal parts in a row are written once: `poll*200`.
  var text: String { runs(atMost: .max).map(\.text).joined(separator: "/") }

  /// Makes a path from a text that ``isValid(_:)``.
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

  /// The last parts, with equal parts in a row as one run. Complexity: O(`most`).
  private func runs(atMost most: Int) -> [Run] {
    var runs: [Run] = []
    var next: Node? = node
    while let node = next, runs.count < most {
      runs.append(Run(part: node.part, count: node.run))
      next = node.beforeRun
    }
    return runs.reversed()
  }

  /// Splits a piece of a text into its part and the number of repetitions. That is nil if the number is not allowed.
  private static func run(_ piece: Substring) -> (part: Substring, count: Int?) {
    guard let star = piece.firstIndex(of: "*") else { return (piece, 1) }
    let count = Int(piece[piece.index(after: star)...])
    return (piece[..<star], count.flatMap { (2...mostOfARun).contains($0) ? $0 : nil })
  }

  /// The most repetitions: more than a scenario has steps, and few enough to be made from a token.
  private static var mostOfARun: Int { 10_000_000 }

  // MARK: Others

  func numbered(_ count: Int) -> TaskPath { TaskPath(node.marked("\(count)")) }

  func resumption(_ number: Int) -> TaskPath { TaskPath(node.marked("r\(number)")) }

  func call(_ call: StartCall) -> TaskPath { TaskPath(node.marked(call.rawValue)) }

  var firing: TaskPath { TaskPath(node.marked("time")) }

  /// A digest that is equal for all paths of the same names, whatever their marks are.
  var unmarked: PathDigest { node.unmarked }

  /// The path of the task itself, if this path names the task's time or a call about it.
  var task: TaskPath {
    let marks = node.part.split(separator: "+", omittingEmptySubsequences: false)
    let last = marks.indices.dropFirst().last {
      marks[$0] == "time" || StartCall(rawValue: String(marks[$0])) != nil
    }
    guard let last else { return self }
    return TaskPath(Node(marks[..<last].joined(separator: "+"), under: node.parent))
  }

  /// The last part, as a person reads it.
  var lastPart: String { Self.shown(node.part) }

  /// Whether it is a job of a Swift Task, which has no label.
  var isOfSwiftTask: Bool { node.part.prefix { $0 != "+" } == "Task" }

  /// Whether it names the time of a timer, and not a task.
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

  /// Whether `text` is a path. A part may be empty, since an empty label is a label.
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
  /// The most parts, or runs of equal parts, that a person is shown.
  private static var mostShown: Int { 6 }

  /// Such as `"type s" / "fetch"`. The second task of the same name has a `#2`.
  ///
  /// Tasks that each submitted the next one of the same name are shown as `"poll" × 200`. Of more than six parts, the
  /// last ones are shown.
  public var description: String {
    let runs = runs(atMost: Self.mostShown)
    let shown = runs.map { Self.shown($0.part) + ($0.count == 1 ? "" : " × \($0.count)") }
    let left = node.depth - runs.reduce(0) { $0 + $1.count }
    return (left == 0 ? "" : "(\(left) before) / ") + shown.joined(separator: " / ")
  }
}

/// Tells one path from another. It has 128 bits, so two paths of one program practically never get the same digest.
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
    first = SplitMix64.mixed((first ^ number) &* 0x9FB2_1C65_1E98_DF25)
    second = (second &+ number) &* 0xDA94_2042_E4DD_58B5
    second ^= second >> 31
  }
}
