import Foundation
import Testing

@testable import PlantedBugs

/// So that a list that the sources have left behind is noticed in a second.
@Suite("Every bug of the list")
struct FittingTests {
  typealias Bug = PlantedBugs.Bug

  static let files = Dictionary(grouping: Bug.all, by: \.file)

  @Test("fits the file that it is for", arguments: files.keys.sorted())
  func fits(file: String) throws {
    let repository = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    let source = try String(
      contentsOf: repository.appending(path: "Sources/\(file)"), encoding: .utf8)
    let bugs = Self.files[file] ?? []

    let planted = try Planting.plant(bugs.map { ($0, 1) }, in: source)

    #expect(planted != source)
  }
}
