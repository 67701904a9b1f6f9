import InMemoryLogging
import Logging
import TaskDispatch
import TaskDispatchTesting
import UVDaemon

@testable import Spool
@testable import spoold

/// All of spoold but the process, on the fake.
struct Patrol {
  let fake: RecordingDispatcher
  let daemon: Spool.Daemon
  private let systemd: UVDaemon.Daemon<RecordingDispatcher>
  private let log = InMemoryLogHandler()
  private let lines: Confined<[String]>
  private let statuses: Confined<[String]>

  /// How much time it gets to end, unless a test says otherwise.
  static let drain = Duration.seconds(10)

  /// Keeps the directory `spool` of `scratch` in the file `manifest` beside it.
  ///
  /// - Parameters:
  ///   - onRead: Called in the middle of reading a file, see ``FileReader/onRead``.
  ///   - fake: The dispatcher that it runs on, with its own limits, width and choices.
  ///   - hears: Whether descriptors become ready at the beginning.
  ///   - prepare: Submits tasks before any task has run.
  init(
    in scratch: Scratch, change: (inout Configuration) -> Void = { _ in },
    read: (@Sendable () throws(ConfigurationErrors) -> Configuration)? = nil,
    onRead: (@Sendable (BytePath, Int) -> Void)? = nil,
    on fake: RecordingDispatcher = RecordingDispatcher(), hears: Bool = true,
    prepare: () throws -> Void = {}
  ) throws {
    let lines = Confined([String](), to: fake.foreground)
    let statuses = Confined([String](), to: fake.foreground)
    (self.fake, self.lines, self.statuses) = (fake, lines, statuses)
    let configuration = try Self.configuration(in: scratch, change: change)
    var reader = FileReader(
      try SpoolDirectory(scratch["spool"]), settling: Settling(fine: .zero, coarse: .zero))
    reader.onRead = onRead
    // Not by `??`, which makes a closure of a typed error that crashes (Swift 6.3.1).
    var read = read
    if read == nil { read = { configuration } }
    daemon = try Spool.Daemon(
      configuration, reader: reader, dispatcher: fake, listener: nil,
      read: read,
      status: { status in statuses.withValue { $0.append(status) } },
      say: { line in lines.withValue { $0.append(String(decoding: line, as: UTF8.self)) } })
    systemd = try UVDaemon.Daemon(
      fake, shutdown: .ofSpoold, manager: .absent, logger: Logger(label: "test") { [log] _ in log })
    try systemd.keep(daemon)
    try systemd.begin()
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

  /// The lines that it has printed for a person.
  var said: [String] { lines.withValue { $0 } }
  /// The statuses that it has reported.
  var told: [String] { statuses.withValue { $0 } }
  /// What was logged of signals and of what they cause.
  var logged: [String] { log.entries.map { "\($0.level): \($0.message)" } }
  /// How often it has reloaded.
  var reloads: Int { logged.count { $0 == "info: has reloaded" } }
  /// Whether a reload was given up, which is logged. Then its request has not been carried out.
  var hasGivenUpReload: Bool {
    logged.contains { $0.contains("onReload of") && $0.contains("has not ended in") }
  }
  /// Whether it had less time to end than it needed.
  var hadNoTime: Bool {
    systemd.wasCutShort
      || logged.contains { $0.contains("onEnd of") && $0.contains("has not ended in") }
  }

  func state<Value: Sendable>(_ body: (KeeperState) -> Value) -> Value {
    daemon.keeper.state.withValue { body($0) }
  }

  /// Lets time pass, like ``RecordingDispatcher/advanceTime(by:driving:)``, with descriptors.
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

  /// Raises a signal that ends it, and lets it begin its end.
  func beginEnd() throws {
    try fake.raise(.terminate)
    while told.last?.hasPrefix("ending: ") != true { try fake.runNextForegroundTask() }
  }

  /// Ends it by a signal, and checks that nothing is left.
  @discardableResult
  func end() throws -> Keeper.Remains {
    try fake.raise(.terminate)
    let remains = try awaitEnd()
    try fake.finish()
    return remains
  }

  /// Finishes it, as the program does when the loop has ended.
  func finish() -> Keeper.Remains { daemon.finish(inHurry: systemd.wasCutShort) }

  /// Runs it until it has ended, by itself or on a request.
  func awaitEnd() throws -> Keeper.Remains {
    try fake.runWithDescriptors()
    while fake.report == nil { try fake.advanceToNextDeadline() }
    return finish()
  }
}

/// An expectation that fails inspects everything that it mentions, and would crash at a type that
/// cannot be copied (Swift 6.3.1).
extension Patrol: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: []) }
}
