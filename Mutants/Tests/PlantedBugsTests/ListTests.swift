import Testing

@testable import PlantedBugs

@Suite("The list of bugs")
struct ListTests {
  // Swift Testing has a type of this name as well.
  typealias Bug = PlantedBugs.Bug

  @Test("gives each a name of its own")
  func names() {
    let names = Bug.all.map(\.name)

    #expect(Set(names).count == names.count)
  }

  @Test(
    "says of each what it breaks, what it changes and which suites should notice",
    arguments: Bug.all)
  func complete(bug: Bug) {
    #expect(!bug.breaks.isEmpty)
    #expect(!bug.changes.isEmpty)
    #expect(!bug.suites.isEmpty)
  }

  @Test("changes only expressions of files in C", arguments: Bug.all)
  func inC(bug: Bug) {
    guard Switchboard.Language(of: bug.file) == .c else { return }

    #expect(bug.changes.allSatisfy { $0.kind == .expression })
  }
}
