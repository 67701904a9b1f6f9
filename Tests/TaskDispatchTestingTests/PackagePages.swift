import Foundation
import TaskDispatch
import Testing

/// The files of this package, for tests that compare its pages with what its builds compile.
enum PackageFile {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The text of the file at `path`, from the root of the package.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  /// Replaces the file at `path` by `text`.
  static func write(_ text: String, to path: String) throws {
    try text.write(to: root.appending(path: path), atomically: true, encoding: .utf8)
  }
}

/// A Markdown page, as the code blocks that it shows.
struct Page {
  struct Block: Sendable, CustomStringConvertible {
    /// The nearest heading above it.
    let heading: String
    /// What the opening fence says: `swift`, `text`.
    let language: String
    let text: String

    var description: String { "\(heading): \(text.prefix { $0 != "\n" })" }
  }

  let blocks: [Block]

  init(_ path: String) throws {
    var blocks: [Block] = []
    var heading = ""
    var open: (language: String, lines: [Substring])?
    for line in try PackageFile.text(path).split(separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("```") {
        if let block = open {
          blocks.append(
            Block(
              heading: heading, language: block.language,
              text: block.lines.joined(separator: "\n")))
          open = nil
        } else {
          open = (String(line.dropFirst(3)), [])
        }
      } else if open != nil {
        open?.lines.append(line)
      } else if line.hasPrefix("#") {
        heading = line.drop { $0 == "#" || $0 == " " }.description
      }
    }
    self.blocks = blocks
  }

  /// Its blocks of `language`, in order.
  func blocks(of language: String) -> [Block] { blocks.filter { $0.language == language } }
}

extension Page {
  /// Expects that the page at `path` shows `text` in a block under `heading`, of the third level.
  ///
  /// With `UPDATE_PAGES` in the environment it writes the text there first: run the tests once so
  /// after a change of wording, and read the difference before it is committed.
  static func expect(
    _ path: String, shows text: String, under heading: String,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let isUpdating = ProcessInfo.processInfo.environment["UPDATE_PAGES"] != nil
    try pageAccess.withLock { _ in
      let shown = try Page(path).blocks(of: "text").first { $0.heading == heading }?.text
      if isUpdating, let shown, shown != text { try write(text, to: path, under: heading) }
    }

    let shown = try Page(path).blocks(of: "text").first { $0.heading == heading }?.text
    #expect(shown == text, "under \"\(heading)\"", sourceLocation: location)
  }

  // Tests run in parallel, and a page is one file.
  private static let pageAccess = Locked(())

  private static func write(_ text: String, to path: String, under heading: String) throws {
    let before = try PackageFile.text(path)
    guard
      let section = before.range(of: "\n### \(heading)\n"),
      let open = before.range(of: "\n```text\n", range: section.upperBound..<before.endIndex),
      let close = before.range(of: "\n```\n", range: open.upperBound..<before.endIndex)
    else { return }
    let after = before.replacingCharacters(in: open.upperBound..<close.lowerBound, with: text)
    try PackageFile.write(after, to: path)
  }
}

extension String {
  /// Whether `block` stands in this text line for line, all of it indented by the same amount.
  func shows(_ block: String) -> Bool {
    let wanted = block.split(separator: "\n", omittingEmptySubsequences: false)
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = wanted.first, wanted.count <= lines.count else { return false }
    return (0...(lines.count - wanted.count)).contains { start in
      guard lines[start].hasSuffix(first) else { return false }
      let margin = lines[start].dropLast(first.count)
      guard margin.allSatisfy({ $0 == " " }) else { return false }
      return zip(wanted, lines[start...]).allSatisfy { line, candidate in
        line.isEmpty ? candidate.isEmpty : candidate == margin + line
      }
    }
  }
}
