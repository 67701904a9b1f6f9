import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("The README's program, in virtual time")
struct ReadmeTests {
  struct Thermometer {
    let dispatcher: any TaskDispatcher
    let readings: Confined<[Double]>

    init(dispatcher: any TaskDispatcher) {
      self.dispatcher = dispatcher
      readings = Confined([], to: dispatcher.foreground)  // lives on the loop: it needs no lock
    }

    func start(read: @escaping @Sendable () -> Double) -> TimerHandle {
      dispatcher.background.every(.seconds(10), label: "read") { [dispatcher, readings] in
        let celsius = read()  // a worker, where it may take its time
        dispatcher.foreground.async(label: "keep") { readings.withValue { $0.append(celsius) } }
      }
    }
  }

  @Test("keeps a reading when the loop has run, and not before")
  func keepsAReading() throws {
    let dispatcher = RecordingDispatcher()
    let thermometer = Thermometer(dispatcher: dispatcher)
    let timer = thermometer.start { 21.5 }

    try dispatcher.advanceTime(by: .seconds(10), driving: .loop)  // the time comes, no worker runs
    try dispatcher.runNextBackgroundTask()
    #expect(thermometer.readings.withValue { $0 } == [])

    try dispatcher.runNextForegroundTask()
    #expect(thermometer.readings.withValue { $0 } == [21.5])

    timer.cancel()
    try dispatcher.finish()  // throws if a task is left over, and names the line that submitted it
  }

  @Test("reads every ten seconds for an hour")
  func readsEveryTenSeconds() throws {
    let dispatcher = RecordingDispatcher()
    let thermometer = Thermometer(dispatcher: dispatcher)
    let timer = thermometer.start { 21.5 }

    try dispatcher.advanceTime(by: .seconds(60 * 60))

    #expect(thermometer.readings.withValue { $0.count } == 360)
    timer.cancel()
    try dispatcher.finish()
  }

  @Test("lets the dispatcher go when the timer is cancelled, although the timer's body holds it")
  func letsTheDispatcherGo() throws {
    weak var released: RecordingDispatcher?

    do {
      let dispatcher = RecordingDispatcher()
      released = dispatcher
      Thermometer(dispatcher: dispatcher).start { 21.5 }.cancel()
      try dispatcher.finish()
    }

    #expect(released == nil)
  }
}

@Suite("The pages")
struct PagesTests {
  static let paths =
    [
      "README.md", "Documentation/FailureMessages.md", "Documentation/ContractSuite.md",
      "Documentation/Pitfalls.md", "Documentation/CLibraries.md", "Documentation/Mistakes.md",
      "CHANGELOG.md",
    ]
    + RecipePagesTests.names.map { "Documentation/\($0).md" }

  @Test("show the quick start as the build compiles it, and a test that is run")
  func showTheQuickStart() throws {
    let shown = try Page("README.md").blocks(of: "swift").map(\.text)
    let snippet = try PackageFile.text("Snippets/QuickStart.swift")
    let tests = try PackageFile.text("Tests/TaskDispatchTestingTests/ReadmeTests.swift")

    try #require(shown.count == 3)
    #expect(shown[0] + "\n" == snippet)
    #expect(tests.shows(shown[1]))
    #expect(shown[2] + "\n" == (try PackageFile.text("Snippets/SumsOnWorkers.swift")))
  }

  @Test("test the very type that the quick start shows")
  func testTheQuickStart() throws {
    let snippet = try PackageFile.text("Snippets/QuickStart.swift")
    let tests = try PackageFile.text("Tests/TaskDispatchTestingTests/ReadmeTests.swift")

    let type = snippet.split(separator: "\n\n").filter { !$0.hasPrefix("//") }.dropLast()
      .joined(separator: "\n\n")
    #expect(type.hasPrefix("struct Thermometer {") && type.hasSuffix("\n}"))
    #expect(tests.shows(type))
  }

  @Test("link only to files that are there", arguments: paths)
  func linkToFiles(path: String) throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let links = try PackageFile.text(path).matches(of: /\]\(([^)#]+)/).map { String($0.output.1) }

    for link in links where !link.contains("://") {
      #expect(PackageFile.exists(folder.isEmpty ? link : "\(folder)/\(link)"), "\(path): \(link)")
    }
  }
}
