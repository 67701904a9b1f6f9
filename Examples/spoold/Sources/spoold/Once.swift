internal import ArgumentParser
internal import Spool
internal import UVDispatch

/// One run through the spool, with a bar on a terminal and a summary at the end.
struct Once {
  let configuration: Configuration
  let console: Console

  func run() throws {
    let summary = try takeIn()
    guard console.print(summary) else {
      console.complain(Array("cannot print the summary; the manifest is whole".utf8))
      throw ExitCode(2)
    }
    guard summary.failed == 0 else { throw ExitCode(1) }
  }

  private func takeIn() throws -> Summary {
    let dispatcher = try UVDispatcher(.init(label: "spoold"))
    let spool = try SpoolDirectory(configuration.spool)
    let intake = try Intake(
      of: spool, into: configuration.manifest, dispatcher: dispatcher
    ) { [console] problem in console.complain(problem.message) }
    if console.isTerminal { showProgress(of: intake, in: spool, dispatcher) }

    intake.start()
    let report = dispatcher.run()  // this thread is the foreground until everything is taken in
    console.clear()
    let summary = try intake.finish()
    for left in report.unfinished { console.complain(Array("left behind: \(left)".utf8)) }
    guard report.unfinished.isEmpty else { throw ExitCode(2) }
    return summary
  }

  private func showProgress(
    of intake: Intake, in spool: SpoolDirectory, _ dispatcher: UVDispatcher
  ) {
    let census = Census(of: spool, dispatcher: dispatcher)
    let began = dispatcher.now
    dispatcher.foreground { census.start { !intake.isOver } }
    dispatcher.foreground.every(.milliseconds(100), label: "progress") { [console] in
      console.show(
        ProgressBar(
          passed: intake.passed, total: census.total,
          elapsed: began.duration(to: dispatcher.now)))
    }
  }
}
