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
  private let stopping: Confined<DispatcherInstant?>

  /// How long it gets to end, unless a test says otherwise.
  static let drain = Duration.seconds(10)

  /// Keeps the directory `spool` of `scratch` in the file `manifest` beside it.
  ///
  /// - Parameters:
  ///   - onRead: Called in the middle of reading a file, see ``FileReader/onRead``.
  ///   - fake: What it runs on; its limits, its width and who chooses are its own.
  ///   - hears: Whether descriptors become ready at the beginning.
  ///   - prepare: What is submitted before anything has run.
  init(
    in scratch: Scratch, change: (inout Configuration) -> Void = { _ in },
    reload: (@Sendable () throws(ConfigurationErrors) -> Configuration)? = nil,
    onRead: (@Sendable (BytePath, Int) -> Void)? = nil,
    on fake: RecordingDispatcher = RecordingDispatcher(), hears: Bool = true,
    prepare: () throws -> Void = {}
  ) throws {
    let lines = Confined([String](), to: fake.foreground)
    let calls = Confined([String](), to: fake.foreground)
    let stopping = Confined(DispatcherInstant?.none, to: fake.foreground)
    (self.fake, self.lines, self.calls, self.stopping) = (fake, lines, calls, stopping)
    @Sendable func note(_ call: String) { calls.withValue { $0.append(call) } }
    let configuration = try Self.configuration(in: scratch, change: change)
    var reader = FileReader(
      try SpoolDirectory(scratch["spool"]), settling: Settling(fine: .zero, coarse: .zero))
    reader.onRead = onRead
    daemon = try Daemon(
      configuration, reader: reader, dispatcher: fake, listener: nil,
      lifecycle: Lifecycle(
        ready: { note("ready") }, reloading: { note("reloading") },
        stopping: { status in
          note("stopping: \(status)")
          stopping.withValue { $0 = fake.now }
        }, status: { note("status: \($0)") }),
      reload: reload,
      say: { line in lines.withValue { $0.append(String(decoding: line, as: UTF8.self)) } })
    try daemon.start()
    try prepare()
    if hears { try fake.runWithDescriptors() } else { try fake.runUntilIdle() }
  }

  static func configuration(
    in scratch: Scratch, change: (inout Configuration) -> Void = { _ in }
  ) throws -> Configuration {
    try scratch.makeDirectory("spool")
    var configuration = Configuration(
      spool: scratch["spool"], manifest: scratch["manifest"], drain: drain)
    change(&configuration)
    return configuration
  }

  /// What it has said to a person.
  var said: [String] { lines.withValue { $0 } }
  /// What it has told the service manager.
  var told: [String] { calls.withValue { $0 } }
  /// When it has told that it ends.
  var stoppedAt: DispatcherInstant? { stopping.withValue { $0 } }

  func state<Value: Sendable>(_ body: (KeeperState) -> Value) -> Value {
    daemon.keeper.state.withValue { body($0) }
  }

  /// Lets time pass, as ``RecordingDispatcher/advanceTime(by:driving:)`` does, with descriptors.
  ///
  /// - Parameter isHearing: Whether descriptors become ready.
  func advance(by duration: Duration, hearing isHearing: Bool = true) throws {
    let end = fake.now.advanced(by: duration)
    func run() throws {
      if isHearing { try fake.runWithDescriptors() } else { try fake.runUntilIdle() }
    }
    try run()
    while let next = fake.nextDeadline, next <= end {
      try fake.advanceToNextDeadline()
      try run()
    }
    try fake.advanceTime(to: end)
  }

  /// Ends it by a signal, and sees that nothing is left over.
  @discardableResult
  func end() throws -> Keeper.Remains {
    try fake.raise(.terminate)
    let remains = try awaitEnd()
    try fake.finish()
    return remains
  }

  /// Lets it come to its end, by itself or because somebody has ended it.
  func awaitEnd() throws -> Keeper.Remains {
    try fake.runWithDescriptors()
    while fake.report == nil { try fake.advanceToNextDeadline() }
    return daemon.finish()
  }
}
