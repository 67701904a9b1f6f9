import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

/// All of spoold but the process, on the fake.
struct Patrol {
  let fake: RecordingDispatcher
  let daemon: Daemon
  private let lines: Confined<[String]>
  private let calls: Confined<[String]>

  /// Keeps the directory `spool` of `scratch` in the file `manifest` beside it.
  init(
    in scratch: Scratch, change: (inout Configuration) -> Void = { _ in },
    reload: (@Sendable () throws(ConfigurationErrors) -> Configuration)? = nil
  ) throws {
    let fake = RecordingDispatcher()
    let lines = Confined([String](), to: fake.foreground)
    let calls = Confined([String](), to: fake.foreground)
    (self.fake, self.lines, self.calls) = (fake, lines, calls)
    @Sendable func note(_ call: String) { calls.withValue { $0.append(call) } }
    daemon = try Daemon(
      try Self.configuration(in: scratch, change: change),
      reader: FileReader(
        try SpoolDirectory(scratch["spool"]), settling: Settling(fine: .zero, coarse: .zero)),
      dispatcher: fake, listener: nil,
      lifecycle: Lifecycle(
        ready: { note("ready") }, reloading: { note("reloading") },
        stopping: { note("stopping: \($0)") }, status: { note("status: \($0)") }),
      reload: reload,
      say: { line in lines.withValue { $0.append(String(decoding: line, as: UTF8.self)) } })
    try daemon.start()
    try fake.runWithDescriptors()
  }

  static func configuration(
    in scratch: Scratch, change: (inout Configuration) -> Void = { _ in }
  ) throws -> Configuration {
    try scratch.makeDirectory("spool")
    var configuration = Configuration(spool: scratch["spool"], manifest: scratch["manifest"])
    change(&configuration)
    return configuration
  }

  /// What it has said to a person.
  var said: [String] { lines.withValue { $0 } }
  /// What it has told the service manager.
  var told: [String] { calls.withValue { $0 } }

  func state<Value: Sendable>(_ body: (KeeperState) -> Value) -> Value {
    daemon.keeper.state.withValue { body($0) }
  }

  /// Lets time pass, as ``RecordingDispatcher/advanceTime(by:driving:)`` does, with descriptors.
  func advance(by duration: Duration) throws {
    let end = fake.now.advanced(by: duration)
    try fake.runWithDescriptors()
    while let next = fake.nextDeadline, next <= end {
      try fake.advanceToNextDeadline()
      try fake.runWithDescriptors()
    }
    try fake.advanceTime(to: end)
  }

  /// Ends it by a signal, and sees that nothing is left over.
  @discardableResult
  func end() throws -> Keeper.Remains {
    try fake.raise(.terminate)
    try fake.runWithDescriptors()
    while fake.report == nil { try fake.advanceToNextDeadline() }
    let remains = daemon.finish()
    try fake.finish()
    return remains
  }
}
