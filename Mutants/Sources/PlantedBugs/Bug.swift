/// A bug that can be planted in a copy of the library's sources.
public struct Bug: Sendable {
  /// Names it on the command line: what it is in, and what is wrong with it.
  public let name: String
  /// What goes wrong, and against which rule or invariant that is.
  public let breaks: String
  /// The source file, below `Sources/`.
  public let file: String
  /// What it changes in there. Nothing else of the file changes.
  public let changes: [Change]
  /// The test suites that should notice, by the names of their types. Tried first.
  public let suites: [String]

  public init(
    _ name: String, breaks: String, in file: String, _ changes: Change..., suites: [String]
  ) {
    (self.name, self.breaks, self.file) = (name, breaks, file)
    (self.changes, self.suites) = (changes, suites)
  }
}

/// One place of a source file, and what it becomes while its bug is planted.
public struct Change: Sendable {
  enum Kind { case expression, statement }

  let kind: Kind
  /// Found exactly once in the file, or in `context`.
  let text: String
  let replacement: String
  /// A stretch of the file that is found exactly once in it, and that holds `text`.
  let context: String?

  /// An expression that becomes another of its type.
  ///
  /// - Parameter context: More of the file around it, if it alone is found more than once.
  public static func expression(
    _ text: String, becomes replacement: String, within context: String? = nil
  ) -> Change {
    Change(kind: .expression, text: text, replacement: replacement, context: context)
  }

  /// Whole statements that become others. They must declare nothing that is used behind them.
  ///
  /// - Parameter context: As of ``expression(_:becomes:within:)``.
  public static func statement(
    _ text: String, becomes replacement: String, within context: String? = nil
  ) -> Change {
    Change(kind: .statement, text: text, replacement: replacement, context: context)
  }

  /// Statements that are left out.
  ///
  /// - Parameter context: As of ``expression(_:becomes:within:)``.
  public static func without(_ text: String, within context: String? = nil) -> Change {
    .statement(text, becomes: "", within: context)
  }
}
