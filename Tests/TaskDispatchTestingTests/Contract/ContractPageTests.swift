import TaskDispatchContract
import TaskDispatchTesting
import Testing

@Suite("The page of the contract suite")
struct ContractPageTests {
  static let path = "Documentation/ContractSuite.md"

  @Test("names each planted fault with the check that finds it")
  func faults() throws {
    let lines = Fault.allCases.map { fault in
      "\(fault)\n    \(ContractFaultTests.violation(of: fault)?.check ?? "not found")"
    }

    try Page.expect(Self.path, shows: lines.joined(separator: "\n"), under: "The faults")
  }

  @Test("shows a broken rule as a reader sees it")
  func violation() throws {
    let violation = try #require(ContractFaultTests.violation(of: .runsInsideResume))

    try Page.expect(Self.path, shows: "\(violation)", under: "A broken rule")
  }

  @Test("counts the checks of each rule")
  func counts() throws {
    let rules = Dictionary(grouping: DispatcherContract.rules) { $0.number }
    let lines = rules.keys.sorted().map { number in
      let checks = rules[number] ?? []
      let threaded = checks.count { !$0.needs.isEmpty }
      return "\(number) \(checks[0].title): \(checks.count)"
        + (threaded > 0 ? ", \(threaded) of them for what not every dispatcher has" : "")
    }

    try Page.expect(Self.path, shows: lines.joined(separator: "\n"), under: "How many checks")
  }

  @Test("shows code that is compiled and run")
  func code() throws {
    let shown = try Page(Self.path).blocks(of: "swift")
    let files = try [
      "Sources/TaskDispatchContract/FakeSubject.swift",
      "Tests/TaskDispatchTestingTests/Contract/ContractFakeTests.swift",
      "Tests/UVDispatchTests/Support/UVSubject.swift",
    ].map(PackageFile.text)

    #expect(shown.count == 3)
    for block in shown {
      #expect(files.contains { $0.shows(block.text) }, "in no file: \(block)")
    }
  }
}
