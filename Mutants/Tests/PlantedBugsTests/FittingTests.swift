import Foundation
import Testing

@testable import PlantedBugs

/// Notices in a second that the sources have changed and the list of bugs has not.
@Suite("Every bug of the list")
struct FittingTests {
  typealias Bug = PlantedBugs.Bug

  static let files = Dictionary(grouping: Bug.all, by: \.file)
  private static let repository = URL(filePath: #filePath).appending(path: "../../../..")
    .standardizedFileURL

  @Test("fits the file that it is for", arguments: files.keys.sorted())
  func fits(file: String) throws {
    let source = try String(
      contentsOf: Self.repository.appending(path: "Sources/\(file)"), encoding: .utf8)
    let bugs = Self.files[file] ?? []

    let planted = try Planting.plant(bugs.map { ($0, 1) }, in: source)

    #expect(planted != source)
  }

  @Test("names suites that there are")
  func suites() throws {
    let tests = Self.repository.appending(path: "Tests")
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    var known: Set<Substring> = []
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      known.formUnion(text.matches(of: /(?:struct|class|enum|extension) (\w+)/).map(\.output.1))
    }

    let unknown = Set(Bug.all.flatMap(\.suites)).filter { !known.contains($0[...]) }

    #expect(unknown.isEmpty)
  }
}
