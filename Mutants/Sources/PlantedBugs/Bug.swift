/// A bug that can be planted in a copy of the library's sources.
public struct Bug: Sendable {
  /// Its name on the command line: the part that it is in, and what is wrong there.
  public let name: String
  /// What goes wrong, and which rule or invariant that breaks.
  public let breaks: String
  /// The source file, below `Sources/`.
  public let file: String
  /// The changes of that file. Nothing else in it changes.
  public let changes: [Change]
  /// The test suites that should notice the bug, by the names of their types. They are tried first.
  public let suites: [String]

  public init(
    _ name: String, breaks: String, in file: String, _ changes: Change..., suites: [String]
  ) {
    (self.name, self.breaks, self.file) = (name, breaks, file)
    (self.changes, self.suites) = (changes, suites)
  }
}

/// One place of a source file, and its text while the bug is planted.
public struct Change: Sendable {
  enum Kind { case expression, statement }

  let kind: Kind
  /// Must be found exactly once in the file, or in `context`.
  let text: String
  let replacement: String
  /// A longer piece of the file that is found exactly once and contains `text`.
  let context: String?

  /// An expression that another of the same type replaces.
  ///
  /// - Parameter context: More of the file around the text, if the text alone is found more than once.
  public static func expression(
    _ text: String, becomes replacement: String, within context: String? = nil
  ) -> Change {
    Change(kind: .expression, text: text, replacement: replacement, context: context)
  }

  /// Whole statements that others replace. They must declare nothing that is used after them.
  ///
  /// - Parameter context: More of the file around the text, if the text alone is found more than once.
  public static func statement(
    _ text: String, becomes replacement: String, within context: String? = nil
  ) -> Change {
    Change(kind: .statement, text: text, replacement: replacement, context: context)
  }

  /// Statements that are left out.
  ///
  /// - Parameter context: More of the file around the text, if the text alone is found more than once.
  public static func without(_ text: String, within context: String? = nil) -> Change {
    .statement(text, becomes: "", within: context)
  }
}
