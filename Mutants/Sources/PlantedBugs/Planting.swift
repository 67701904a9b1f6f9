/// Puts bugs into the text of a source file, all at once, each behind a switch of its own.
///
/// So the tests are built once, and the environment says which bug is switched on: see ``Switchboard``.
public enum Planting {
  /// A change that no longer fits its file.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    case notFound(bug: String, text: String)
    case ambiguous(bug: String, text: String, times: Int)
    case overlapping(bug: String, other: String)
    case cut(bug: String, text: String)
    case partOfName(bug: String, text: String)
    case deferred(bug: String, text: String)

    public var description: String {
      switch self {
      case .notFound(let bug, let text):
        "\(bug): the source has changed, and this is not in it any more:\n\(text)"
      case .ambiguous(let bug, let text, let times):
        "\(bug): this is found \(times) times, so it says too little of where it is:\n\(text)"
      case .overlapping(let bug, let other):
        "\(bug) and \(other) change overlapping texts; let them change the same text, or less of it"
      case .cut(let bug, let text):
        "\(bug): a bracket opens in this and closes outside it, or the other way; take all of it:\n\(text)"
      case .partOfName(let bug, let text):
        "\(bug): this begins behind a dot or ends inside a name; take all of the expression:\n\(text)"
      case .deferred(let bug, let text):
        "\(bug): behind its switch this would run at once; change what stands inside it:\n\(text)"
      }
    }
  }

  private struct Place {
    let range: Range<String.Index>
    let kind: Change.Kind
    var bugs: [(name: String, number: Int, replacement: String)]
  }

  /// Returns `source` with every change of `bugs` in it. A place may belong to more than one bug.
  ///
  /// - Parameter bugs: The bugs of this file, each with the number that switches it on.
  /// - Throws: If a text is not found exactly once, if two texts overlap, or if one cuts a pair of
  ///   brackets, a name or an access to a member, or is deferred.
  public static func plant(_ bugs: [(bug: Bug, number: Int)], in source: String) throws(Failure)
    -> String
  {
    var places: [Place] = []
    for (bug, number) in bugs {
      for change in bug.changes {
        for text in [change.text, change.replacement] where !hasWholePairs(text) {
          throw .cut(bug: bug.name, text: text)
        }
        if change.kind == .statement, change.text.hasPrefix("defer ") {
          throw .deferred(bug: bug.name, text: change.text)
        }
        let range = try find(change, of: bug, in: source)
        if cutsName(range, in: source) { throw .partOfName(bug: bug.name, text: change.text) }
        let here = (name: bug.name, number: number, replacement: change.replacement)
        if let index = places.firstIndex(where: { $0.range == range && $0.kind == change.kind }) {
          places[index].bugs.append(here)
        } else if let other = places.first(where: { $0.range.overlaps(range) }) {
          throw .overlapping(bug: bug.name, other: other.bugs[0].name)
        } else {
          places.append(Place(range: range, kind: change.kind, bugs: [here]))
        }
      }
    }
    var planted = ""
    var position = source.startIndex
    for place in places.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      planted += source[position..<place.range.lowerBound]
      planted += switched(place, String(source[place.range]))
      position = place.range.upperBound
    }
    return planted + source[position...]
  }

  private static func switched(_ place: Place, _ original: String) -> String {
    switch place.kind {
    case .expression:
      let choices = place.bugs.map { "\(Switchboard.call($0.number)) ? (\($0.replacement)) : " }
      return "(\(choices.joined())(\(original)))"
    case .statement:
      let choices = place.bugs.map {
        "if \(Switchboard.call($0.number)) {\n\($0.replacement)\n} else "
      }
      return "\(choices.joined()){\n\(original)\n}\n"
    }
  }

  /// Whether each bracket of `text` has its partner in `text`. Brackets in literals count like others.
  private static func hasWholePairs(_ text: String) -> Bool {
    let partners: [Character: Character] = [")": "(", "]": "[", "}": "{"]
    var open: [Character] = []
    for character in text {
      if let partner = partners[character] {
        guard open.popLast() == partner else { return false }
      } else if partners.values.contains(character) {
        open.append(character)
      }
    }
    return open.isEmpty
  }

  /// Whether a switch in the place of `range` would stand behind a dot, or would divide a name.
  private static func cutsName(_ range: Range<String.Index>, in source: String) -> Bool {
    func isOfName(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || character == "_"
    }
    let (before, text, after) = (
      source[..<range.lowerBound], source[range], source[range.upperBound...]
    )
    guard let first = text.first, let last = text.last else { return false }
    let isBehindDot = before.last == "." && !before.hasSuffix("..")
    let continuesName =
      before.last.map { isOfName($0) && (isOfName(first) || first == ".") } ?? false
    let isContinued = after.first.map { isOfName(last) && isOfName($0) } ?? false
    return isBehindDot || continuesName || isContinued
  }

  private static func find(_ change: Change, of bug: Bug, in source: String) throws(Failure)
    -> Range<String.Index>
  {
    let whole = source.startIndex..<source.endIndex
    let context = try change.context.map { context throws(Failure) in
      try find(context, of: bug, in: source, whole)
    }
    return try find(change.text, of: bug, in: source, context ?? whole)
  }

  private static func find(
    _ text: String, of bug: Bug, in source: String, _ range: Range<String.Index>
  ) throws(Failure) -> Range<String.Index> {
    let all = source[range].ranges(of: text)
    guard let first = all.first else { throw .notFound(bug: bug.name, text: text) }
    guard all.count == 1 else {
      throw .ambiguous(bug: bug.name, text: text, times: all.count)
    }
    return first
  }
}
