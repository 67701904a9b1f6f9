internal import ArgumentParser
internal import Spool

/// An option for each ``Setting``, as text. The same code interprets the text of options and of the
/// file.
struct SettingOptions: ParsableArguments, Sendable {
  @Option(help: ArgumentHelp("The directory whose files are taken in.", valueName: "dir"))
  var spool: String?

  @Option(help: ArgumentHelp("The manifest. FILE.spoold is kept beside it.", valueName: "file"))
  var manifest: String?

  @Option(
    help: ArgumentHelp(
      "A Unix socket that answers lines such as {\"request\":\"status\"}.", valueName: "path"))
  var status: String?

  @Option(
    help: ArgumentHelp("Where SIGUSR1 writes to (default: standard error).", valueName: "file"))
  var dump: String?

  @Option(
    help: ArgumentHelp(
      "How long the first SIGTERM gives what was begun (default: 10s).", valueName: "time"))
  var drain: String?

  @Option(
    help: ArgumentHelp(
      "How long a file must be left alone before it is read (default: 100ms).", valueName: "time"))
  var settle: String?

  @Option(
    help: ArgumentHelp(
      "How long a file that is written to all the time waits (default: 5s).", valueName: "time"))
  var settleAtMost: String?

  @Option(
    help: ArgumentHelp(
      "How often the manifest may be replaced, to take lines out (default: 1s).", valueName: "time")
  )
  var replaceEvery: String?

  @Option(
    help: ArgumentHelp(
      "How often to go through the directory without being told of a change (default: never).",
      valueName: "time"))
  var rescanEvery: String?

  @Option(
    help: ArgumentHelp(
      "How long a client of the socket may do nothing (default: 30s).", valueName: "time"))
  var statusIdle: String?

  @Option(
    help: ArgumentHelp(
      "How many clients the socket has at a time (default: 256).", valueName: "number"))
  var statusClients: String?

  /// The options that were given.
  var all: [Setting: String] {
    let values: [(Setting, String?)] = [
      (.spool, spool), (.manifest, manifest), (.status, status), (.dump, dump), (.drain, drain),
      (.settle, settle), (.settleAtMost, settleAtMost), (.replaceEvery, replaceEvery),
      (.rescanEvery, rescanEvery), (.statusIdle, statusIdle), (.statusClients, statusClients),
    ]
    return Dictionary(
      uniqueKeysWithValues: values.compactMap { setting, text in text.map { (setting, $0) } })
  }
}
