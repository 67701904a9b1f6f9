import Testing

@Suite("The page on C libraries")
struct CLibrariesPageTests {
  @Test("shows code that the integration with one compiles")
  func showsCode() throws {
    let blocks = try Page("Documentation/CLibraries.md").blocks(of: "swift")
    let paths = [
      "Visits/main.swift", "Redis/Exchange.swift", "Redis/HiredisContext.swift",
      "Redis/RedisConnection.swift", "Redis/Teller.swift",
    ]
    let files = try paths.map { try PackageFile.text("Integration/Redis/Sources/\($0)") }

    #expect(blocks.count == files.count)
    for file in files {
      #expect(blocks.filter { file.shows($0.text) }.count == 1)
    }
  }

  @Test("shows what the dispatcher says of a handle that is left open")
  func showsTheTrap() throws {
    let shown = try #require(Page("Documentation/CLibraries.md").blocks(of: "text").first).text
    let source = try PackageFile.text("Sources/UVDispatch/LibUV/EventLoop.swift")

    for piece in [
      "the dispatcher ends while handles that withLoop { … } was used for are open: ",
      "; uv_close what withLoop { … } has put there, on the ",
      "foreground, before or while it shuts down",
    ] {
      #expect(shown.contains(piece))
      #expect(source.contains(piece))
    }
  }
}
