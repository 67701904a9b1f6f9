internal import ArgumentParser
internal import Glibc
internal import Spool
internal import UVDispatch

/// spoold for as long as it is wanted: keeps the spool until a signal ends it.
struct Service {
  let configuration: Configuration
  let console: Console
  let reload: @Sendable () throws(ConfigurationErrors) -> Configuration

  func run() throws {
    // Whoever reads what it says, or its dump, may go away; it stays.
    _ = signal(SIGPIPE, SIG_IGN)
    let dispatcher = try UVDispatcher(.init(label: "spoold"))
    let daemon = try Daemon(configuration, dispatcher: dispatcher, reload: reload) {
      [console] line in console.complain(line)
    }
    try daemon.start()
    let report = dispatcher.run()  // this thread is the foreground until a signal ends it
    let remains = daemon.finish()
    for message in remains.messages { console.complain(message) }
    let abandoned = report.unfinished.filter { $0.state == .abandoned }
    for left in abandoned { console.complain(Array("left behind: \(left)".utf8)) }
    let status: Int32 = remains.stop != nil ? 2 : remains.isEmpty && abandoned.isEmpty ? 0 : 1
    // A worker that waits for a disk would hold up the end of a process that ends in order.
    if !abandoned.isEmpty { _exit(status) }
    if status != 0 { throw ExitCode(status) }
  }
}
