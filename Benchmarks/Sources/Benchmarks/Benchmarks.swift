import ArgumentParser
import CPeers
import Foundation
import Measuring

@main struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scripts/bench",
    abstract: "Times UVDispatch beside what else a program could use.",
    discussion: """
      Every case runs in processes of its own, in which all that are compared take turns. A row's \
      figure is the median over its processes, and xN behind a peer means that the peer takes N \
      times as long as UVDispatch. Afterwards counts that do not depend on the machine are held \
      against Benchmarks/gates.json.

      Exits with 1 if a gate is broken.
      """)

  @Flag(help: "One process and fewer tasks: a first look, no figures to keep.")
  var quick = false
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Only rows whose names contain one of these; no gates.", valueName: "name"))
  var only: [String] = []
  @Option(help: ArgumentHelp("Write what was measured to FILE.", valueName: "file"))
  var json: String?
  @Option(help: ArgumentHelp("Draw what was measured into FILE.", valueName: "file.svg"))
  var plot: String?
  @Flag(help: "Show the names of the rows and what is demanded, and measure nothing.")
  var list = false
  @Flag(help: "Only the gates.")
  var gates = false
  @Option(help: .hidden) var gatesFile = "gates.json"
  @Option(name: .customLong("case"), help: .hidden) var oneCase: String?

  func validate() throws {
    if gates, !only.isEmpty {
      throw ValidationError("--gates and --only: the gates are no rows; take one of the two")
    }
    if let oneCase, !Case.all.contains(where: { $0.name == oneCase }) {
      throw ValidationError("there is no case \(oneCase)")
    }
    if !only.isEmpty, selected.isEmpty {
      throw ValidationError(
        "no row's name contains \(only.joined(separator: " or ")); --list shows them")
    }
  }

  func run() throws {
    if let oneCase { try measureHere(Case.all.first { $0.name == oneCase }!) }
    if list { return showRows() }
    let summary = gates ? nil : try measureAll()
    let allPass = only.isEmpty ? try GateCheck(file: gatesFile).run() : true
    if let summary { show([summary]) }
    if !allPass { throw ExitCode(1) }
  }

  private var effort: Effort { Effort(isQuick: quick) }

  private func isWanted(_ row: String) -> Bool {
    only.isEmpty || only.contains { row.lowercased().contains($0.lowercased()) }
  }

  private var selected: [Case] {
    Case.all.filter { $0.rows.contains { isWanted($0.name) } }
  }

  /// Writes the lines at once, also into a pipe or a file: a person may be watching.
  private func show(_ lines: [String]) {
    FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8))
  }

  private func showRows() {
    var table = Table(headings: ["row", "pool", "demanded; goal"])
    for one in selected {
      for row in one.rows where isWanted(row.name) {
        let demands = [row.demanded, row.goal].map { $0.text(in: row.unit) }.filter { !$0.isEmpty }
        table.add([row.name, "\(one.poolThreads)", demands.joined(separator: "; ")])
      }
    }
    show(table.text)
  }

  /// Returns the last line of the run, which is printed after what the gates say.
  private func measureAll() throws -> String {
    let processes = quick ? 1 : 3
    let cases = selected
    let machine = Machine.here(
      poolThreads: Set(cases.map(\.poolThreads)).sorted(), processes: processes)
    show(machine.lines)
    let rows = Driver(cases: cases, effort: effort, processes: processes)
      .results(progress: Progress()).filter { isWanted($0.name) }
    let report = Report(machine: machine, rows: rows)
    show([""] + report.table + [""])
    if let json { try report.json().write(to: URL(fileURLWithPath: json)) }
    if let plot { try Data(Chart(report).svg.utf8).write(to: URL(fileURLWithPath: plot)) }
    return report.summary
  }

  /// Measures one case in this process. Prints what was read, and leaves without waiting for other
  /// threads.
  private func measureHere(_ one: Case) throws -> Never {
    let effort = effort
    // This must come before there are other threads, which inherit it.
    cpeers_give_up_niceness()
    Thread.detachNewThread {
      do {
        let readings = try one.measure(effort)
        FileHandle.standardOutput.write(try JSONEncoder().encode(readings))
        _exit(0)
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        _exit(1)
      }
    }
    // The main thread serves Dispatch, for the row that uses its main queue.
    dispatchMain()
  }
}
