import Testing

@Suite("The pages with a program")
struct RecipePagesTests {
  static let names = [
    "ReplacedDispatcher", "InjectedQueue", "FeatureFlags", "LaneNesting", "GracefulEnd",
    "IdleTimeout", "BackPressure",
  ]

  @Test("show code that the build compiles, and that the tests test", arguments: names)
  func showTheSnippet(name: String) throws {
    let code = try Page("Documentation/\(name).md").blocks.filter { $0.heading == "The code" }
    let snippet = try PackageFile.text("Snippets/\(name).swift")
    let tests = try Self.tests(of: name)

    #expect(!code.isEmpty)
    for block in code {
      #expect(snippet.shows(block.text), "not in Snippets/\(name).swift: \(block)")
      #expect(tests.shows(block.text), "not in the tests of \(name): \(block)")
    }
  }

  @Test("show tests that are run", arguments: names)
  func showTheTest(name: String) throws {
    let page = try Page("Documentation/\(name).md")
    let shown = page.blocks(of: "swift").filter { $0.heading != "The code" }
    let tests = try Self.tests(of: name)

    #expect(shown.contains { $0.heading == "The test" })
    for block in shown { #expect(tests.shows(block.text), "not in the tests of \(name): \(block)") }
  }

  @Test(
    "show the daemon that the build compiles",
    arguments: [("Daemon", "SystemdDaemon"), ("LookingInside", "LookingInside")])
  func showTheDaemon(page: String, snippet: String) throws {
    let code = try Page("Documentation/\(page).md").blocks(of: "swift")
    let snippet = try PackageFile.text("Snippets/\(snippet).swift")

    #expect(!code.isEmpty)
    for block in code { #expect(snippet.shows(block.text), "not in the snippet: \(block)") }
  }

  private static func tests(of name: String) throws -> String {
    try PackageFile.text(
      "Tests/TaskDispatchTestingTests/Recipes/\(name)RecipeTests.swift")
  }
}

@Suite("Looking for a page's block in a file")
struct PageBlockTests {
  let file = "struct A {\n  func b() {\n    c()\n\n    d()\n  }\n}"

  @Test(
    "finds lines that follow each other, whatever their common margin",
    arguments: ["func b() {\n  c()\n\n  d()\n}", "c()\n\nd()", "}\n"])
  func finds(block: String) {
    #expect((file + "\n").shows(block))
  }

  @Test(
    "does not find lines that differ in a word, in their margins or in order",
    arguments: ["func b() {\n  e()", "c()\n\n  d()", "d()\nc()", "b() {", "c()\nd()"])
  func doesNotFind(block: String) {
    #expect(!file.shows(block))
  }
}
