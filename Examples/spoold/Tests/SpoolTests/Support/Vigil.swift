import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

/// A keeper on the fake. The files and the kernel's notices are real, and the test decides time and
/// order.
struct Vigil {
  let fake: RecordingDispatcher
  let keeper: Keeper
  private let notices: Confined<[Notice]>

  static let settings = Keeper.Settings(
    settle: .milliseconds(100), settleAtMost: .seconds(5), replaceEvery: .seconds(1))

  /// Keeps the directory `spool` of `scratch` in the file `manifest` beside it, and goes through it.
  ///
  /// - Parameters:
  ///   - settling: No time, because a test has only just written its files.
  ///   - onRead: Called in the middle of reading a file, see ``FileReader/onRead``.
  ///   - fake: The dispatcher that it runs on, with its own limits, width and choices.
  ///   - prepare: Submits tasks before any task has run.
  init(
    in scratch: Scratch, spool: BytePath = "spool", manifest: BytePath = "manifest",
    settings: Keeper.Settings = Self.settings,
    settling: Settling = Settling(fine: .zero, coarse: .zero),
    onRead: (@Sendable (BytePath, Int) -> Void)? = nil,
    on fake: RecordingDispatcher = RecordingDispatcher(),
    prepare: (Vigil) throws -> Void = { _ in }
  ) throws {
    let notices = Confined([Notice](), to: fake.foreground)
    (self.fake, self.notices) = (fake, notices)
    try scratch.makeDirectory(spool)
    var reader = FileReader(try SpoolDirectory(scratch[spool]), settling: settling)
    reader.onRead = onRead
    keeper = try Keeper(
      reader: reader, into: scratch[manifest], dispatcher: fake, settings: settings)
    keeper.start(
      onNotice: { notice in notices.withValue { $0.append(notice) } },
      onEnd: { fake.beginShutdown() })
    try prepare(self)
    try fake.runUntilIdle()
  }

  /// The notices so far of what is wrong.
  var told: [Notice] {
    notices.withValue { notices in
      notices.filter { if case .scanned = $0 { false } else { true } }
    }
  }

  /// How often it has put a new manifest in the place of the old one.
  var replacements: Int { keeper.state.withValue { $0.saving.replacements } }

  var counts: Keeper.Counts { keeper.state.withValue { $0.counts } }

  /// Lets it take in what has happened, as the loop would, and do what it can at once.
  func hear() throws {
    let descriptor = try #require(keeper.noticesDescriptor)
    try fake.runUntilIdle()
    while Self.isReadable(descriptor) {
      try fake.makeReady(descriptor, .readable)
      try fake.runUntilIdle()
    }
  }

  /// Tells it that there are notices, and runs nothing yet.
  func notice() throws {
    let descriptor = try #require(keeper.noticesDescriptor)
    if Self.isReadable(descriptor) { try fake.makeReady(descriptor, .readable) }
  }

  /// Lets it take in notices, and lets time pass until it has nothing to do, or `limit` has passed.
  func settle(within limit: Duration = .seconds(60)) throws {
    let end = fake.now.advanced(by: limit)
    try hear()
    while let next = fake.nextDeadline, next <= end {
      try fake.advanceToNextDeadline()
      try hear()
    }
  }

  /// Ends it as on a signal, and checks that nothing is left.
  @discardableResult
  func end() throws -> Keeper.Remains {
    fake.foreground.async(label: "end") { keeper.drain() }
    try fake.runUntilIdle()
    while fake.report == nil { try fake.advanceToNextDeadline() }
    let remains = keeper.finish()
    try fake.finish()
    return remains
  }

  // MARK: In an exploration

  /// Submits an act that changes the spool at some moment, and lets the kernel's notice of it arrive at
  /// once.
  func otherProgram(_ label: String, _ act: @escaping @Sendable () throws -> Void) {
    fake.otherProgram(label) { [self] in
      try act()
      // No handler waits for notices before the beginning, and after the end.
      try? notice()
    }
  }

  /// Ends it, and checks that nothing is left and nothing was to be done.
  func requireQuietEnd() throws {
    let remains = try end()
    try hold(remains.isEmpty, "it has left something: \(remains)")
    try hold(fake.ledger.balances, "\(fake.ledger)")
  }

  private static func isReadable(_ descriptor: Int32) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe Glibc.poll(&poll, 1, 0) > 0
  }
}
