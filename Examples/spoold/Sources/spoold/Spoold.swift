internal import ArgumentParser
internal import Glibc
internal import Spool
internal import UVDispatch

/// The program. It makes the real dispatcher, and passes it to everything else.
@main struct Spoold: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spoold",
    abstract: "Keeps a manifest of the SHA-256 digests of all files of a directory.",
    usage: """
      spoold --spool <dir> --manifest <file> [--status <path>] [...]
      spoold --config <file> [...]
      spoold --once --spool <dir> --manifest <file>
      """,
    discussion: """
      The manifest is what sha256sum prints: `sha256sum -c FILE`, from within DIR, checks it. Only \
      regular files are taken in; symbolic links are not followed. A manifest that exists is \
      continued: files that have not changed are not read again.

      Without --once it stays: it watches the directory and all below it, reads what changes, and \
      keeps the manifest true until SIGTERM or SIGINT ends it. Then it finishes what it has begun, \
      and says what is left; a second signal, a second later or after that, ends it at once. SIGHUP \
      reads the configuration again and goes through the directory; SIGUSR1 writes down what \
      spoold is doing, and SIGUSR2 what its threads and queues are.

      Durations are numbers with ms, s, min or h: 100ms, 1.5s, 2min. What the file of --config \
      says is a line `name = value` for each option, with # before comments; the command line wins.

      Exits with 0 if everything was done; with 1 if a file could not be taken in (--once), or \
      something was left at the end; with 2 if it could not go on; with 64 if the command line, and \
      with 78 if the configuration makes no sense. More is in the manual page spoold(8).
      """)

  @Flag(help: "Go through the directory once, and exit.")
  var once = false

  @Option(help: ArgumentHelp("A file that says what these options say.", valueName: "file"))
  var config: String?

  @Flag(help: "Print what the options and the file come to, and exit.")
  var checkConfig = false

  @OptionGroup var settings: SettingOptions

  static func main() { main(ArgumentText.all) }

  func validate() throws {
    guard config == nil else { return }
    for setting in [Setting.spool, .manifest] where settings.all[setting] == nil {
      throw ValidationError(
        "--\(setting.name) is missing; give --spool and --manifest, or a file with --config.")
    }
  }

  func run() throws {
    // A write beyond the limit for the size of a file must fail, and not end the process.
    _ = signal(SIGXFSZ, SIG_IGN)
    let console = Console()
    do {
      let configuration = try read()
      if checkConfig {
        guard console.print(configuration) else { throw ExitCode(2) }
      } else if once {
        try Once(configuration: configuration, console: console).run()
      } else {
        try Service(configuration: configuration, console: console, read: read).run()
      }
    } catch let errors as ConfigurationErrors {
      for error in errors.all { console.complain(error.message) }
      throw ExitCode(78)
    } catch let stop as Stop {
      console.complain(stop.message)
      throw ExitCode(2)
    } catch let refusal as ListenRefusal {
      console.complain(refusal.message)
      throw ExitCode(2)
    } catch let error where !(error is ExitCode) {
      // The dispatcher could not be made: the environment makes no sense, or the system has nothing
      // left.
      console.complain(Array("\(error)".utf8))
      throw ExitCode(2)
    }
  }

  @Sendable private func read() throws(ConfigurationErrors) -> Configuration {
    try Configuration(options: settings.all, file: config.map(ArgumentText.path))
  }
}
