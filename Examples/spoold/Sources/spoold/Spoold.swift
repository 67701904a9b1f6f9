internal import ArgumentParser
internal import Glibc
internal import Spool
internal import UVDispatch

/// The program. It makes the real dispatcher, and everything else is given it.
@main struct Spoold: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spoold",
    abstract: "Keeps a manifest of the SHA-256 digests of all files of a directory.",
    discussion: """
      The manifest is what sha256sum prints: `sha256sum -c FILE`, from within DIR, checks it. Only \
      regular files are taken in; symbolic links are not followed. A manifest that exists is \
      continued: files that have not changed are not read again.

      Exits with 0 if the manifest has a line for every file, with 1 if some file could not be taken \
      in, and with 2 if the run had to end before it was through.
      """)

  @Flag(help: "Go through the directory once, and exit.")
  var once = false

  @Option(help: ArgumentHelp("The directory whose files are taken in.", valueName: "dir"))
  var spool: String

  @Option(help: ArgumentHelp("The manifest. FILE.spoold is kept beside it.", valueName: "file"))
  var manifest: String

  static func main() { main(ArgumentText.all) }

  func validate() throws {
    guard once else { throw ValidationError("--once is missing: there is no other mode yet.") }
  }

  func run() throws {
    // A write beyond the limit for the size of a file must fail, and not end the process.
    _ = signal(SIGXFSZ, SIG_IGN)
    let console = Console()
    do {
      let summary = try takeIn(console)
      guard console.print(summary) else {
        console.complain(Array("cannot print the summary; the manifest is whole".utf8))
        throw ExitCode(2)
      }
      guard summary.failed == 0 else { throw ExitCode(1) }
    } catch let stop as Stop {
      console.complain(stop.message)
      throw ExitCode(2)
    } catch let error where !(error is ExitCode) {
      // Of the dispatcher: the environment makes no sense, or the system has nothing left.
      console.complain(Array("\(error)".utf8))
      throw ExitCode(2)
    }
  }

  private func takeIn(_ console: Console) throws -> Summary {
    let dispatcher = try UVDispatcher(.init(label: "spoold"))
    let spool = try SpoolDirectory(ArgumentText.path(spool))
    let intake = try Intake(
      of: spool, into: ArgumentText.path(manifest), dispatcher: dispatcher
    ) { problem in console.complain(problem.message) }
    if console.isTerminal { showProgress(of: intake, in: spool, dispatcher, console) }

    intake.start()
    let report = dispatcher.run()  // this thread is the foreground until everything is taken in
    console.clear()
    let summary = try intake.finish()
    for left in report.unfinished { console.complain(Array("left behind: \(left)".utf8)) }
    guard report.unfinished.isEmpty else { throw ExitCode(2) }
    return summary
  }

  private func showProgress(
    of intake: Intake, in spool: SpoolDirectory, _ dispatcher: UVDispatcher, _ console: Console
  ) {
    let census = Census(of: spool, dispatcher: dispatcher)
    let began = dispatcher.now
    dispatcher.foreground { census.start { !intake.isOver } }
    dispatcher.foreground.every(.milliseconds(100), label: "progress") {
      console.show(
        ProgressBar(
          passed: intake.passed, total: census.total,
          elapsed: began.duration(to: dispatcher.now)))
    }
  }
}
