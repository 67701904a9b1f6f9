import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("When not every notice comes")
struct LostNoticeTests {
  private static let full = SystemError(call: "inotify_add_watch", code: ENOSPC)

  /// The state of a keeper without the keeper: the test tells it what it wants.
  private static func mind(
    rescanEvery: Duration? = nil, cannotWatch: SystemError? = nil
  ) -> KeeperState {
    KeeperState(
      Keeper.Settings(rescanEvery: rescanEvery), Catalogue(), stampCount: 0, own: [],
      cannotWatch: cannotWatch)
  }

  /// Goes through a spool of `directories` directories beside each other.
  private static func scan(
    _ state: inout KeeperState, at now: DispatcherInstant, directories: Int = 3,
    watch: (Int) -> Result<Inotify.Watch, SystemError>
  ) {
    var watched = 0
    while let step = state.nextStep(at: now) {
      switch step {
      case .watch(let path):
        watched += 1
        state.takeIn(path, watch(watched), at: now)
      case .list(let path):
        var batch = Lister.Batch(isLast: true)
        if path.bytes.isEmpty { batch.directories = (1..<directories).map { BytePath("\($0)") } }
        state.takeIn(path, .success(batch), at: now)
      default: Issue.record("not expected: \(step)")
      }
    }
  }

  @Test("because there are more than the kernel keeps, everything is gone through")
  func overflows() throws {
    let scratch = Scratch()
    try scratch.write("spool/gone", "x")
    let vigil = try Vigil(in: scratch)
    let kept = try Shell.number(in: "/proc/sys/fs/inotify/max_queued_events")
    let name = try scratch.open("spool/many")
    try Shell.run("rm \"$1\"/gone", [scratch["spool"]])
    // Two alternating kinds, because the kernel joins equal notices.
    for _ in 0...kept / 2 {
      fchmod(name.number, 0o600)
      _ = try name.write([0])
    }
    try scratch.write("spool/later", "x")
    try vigil.settle()

    #expect(vigil.counts.overflows == 1)
    #expect(vigil.counts.scans == 2)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  @Test("because more paths change than it remembers, everything is gone through")
  func forgets() throws {
    let scratch = Scratch()
    var settings = Vigil.settings
    settings.limits.pending = 10
    let vigil = try Vigil(in: scratch, settings: settings)
    for number in 0..<30 { try scratch.write("spool/\(number)", "\(number)") }
    try vigil.settle()

    #expect(vigil.counts.overflows == 1)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  @Test(
    "because directories cannot be watched, all is gone through each minute, and that is told once")
  func isBlind() {
    var state = Self.mind()
    Self.scan(&state, at: .start) {
      $0 == 2 ? .failure(Self.full) : .success(.init(number: Int32($0)))
    }

    #expect(
      state.takeNotices() == [.blind(Self.full, rescanEvery: .seconds(60)), .scanned(files: 0)])
    #expect(state.tree.watchCount == 2)
    let minute = DispatcherInstant.start.advanced(by: .seconds(60))
    #expect(state.nextTime(at: .start) == minute)

    Self.scan(&state, at: minute) {
      $0 == 2 ? .failure(Self.full) : .success(.init(number: Int32($0)))
    }
    #expect(state.takeNotices() == [.scanned(files: 0)])
    #expect(state.counts.scans == 2)

    // The limit was raised.
    let next = minute.advanced(by: .seconds(60))
    Self.scan(&state, at: next) { .success(.init(number: Int32($0))) }
    #expect(state.takeNotices() == [.scanned(files: 0), .seesAgain])
    #expect(state.tree.watchCount == 3)
    #expect(state.nextTime(at: next) == nil)
  }

  @Test("because there is no inotify, nothing is watched, and all is gone through")
  func hasNoInotify() {
    let none = SystemError(call: "inotify_init1", code: EMFILE)
    var state = Self.mind(rescanEvery: .seconds(5), cannotWatch: none)
    Self.scan(&state, at: .start) { _ in .failure(none) }

    #expect(state.takeNotices() == [.blind(none, rescanEvery: .seconds(5)), .scanned(files: 0)])
    #expect(
      Notice.blind(none, rescanEvery: .seconds(5)).description == """
        cannot watch every directory: the limit fs.inotify.max_user_instances is reached (Too many \
        open files (inotify_init1)); raise it with sysctl, and send SIGHUP. Until then all of the \
        spool is gone through every 5s
        """)
    #expect(state.nextTime(at: .start) == DispatcherInstant.start.advanced(by: .seconds(5)))
  }

  @Test("because the process has run out of descriptors, it is tried again, and told once")
  func runsShort() {
    let short = SystemError(call: "openat", code: EMFILE)
    var state = Self.mind()
    var now = DispatcherInstant.start
    for _ in 1...3 {
      guard case .watch(let root) = state.nextStep(at: now) else {
        Issue.record("no scan")
        return
      }
      state.takeIn(root, .success(.init(number: 1)), at: now)
      guard case .list = state.nextStep(at: now) else {
        Issue.record("no list")
        return
      }
      state.takeIn(root, Result<Lister.Batch, SystemError>.failure(short), at: now)
      if let step = state.nextStep(at: now) { Issue.record("too early: \(step)") }
      #expect(state.nextTime(at: now) == now.advanced(by: .seconds(1)))
      now = now.advanced(by: .seconds(1))
    }
    Self.scan(&state, at: now) { .success(.init(number: Int32($0))) }

    #expect(state.takeNotices() == [.shortage(short), .shortageIsOver, .scanned(files: 0)])
  }

  @Test(
    "from time to time, if the settings say so, all is gone through although every directory is watched"
  )
  func rescans() throws {
    let scratch = Scratch()
    var settings = Vigil.settings
    settings.rescanEvery = .seconds(10)
    let vigil = try Vigil(in: scratch, settings: settings)
    try scratch.write("spool/a", "a")

    try vigil.fake.advanceTime(by: .seconds(35))
    #expect(vigil.counts.scans == 4)
    #expect(vigil.counts.events == 0)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  @Test("of a file under another name, going through everything finds it")
  func hardLinks() throws {
    let scratch = Scratch()
    try scratch.write("spool/a", "a")
    try Shell.run("ln \"$1\" \"$2\"", [scratch["spool/a"], scratch["outside"]])
    let vigil = try Vigil(in: scratch)
    try scratch.write("outside", "changed")
    try vigil.settle()
    #expect(vigil.counts.events == 0)

    vigil.fake.foreground.async(label: "rescan") { [keeper = vigil.keeper] in keeper.rescan() }
    try vigil.settle()
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }
}

extension Shell {
  /// The number in a file of the system.
  fileprivate static func number(in path: BytePath) throws -> Int {
    let scratch = Scratch()
    try run("cat \"$1\" >\"$2\"", [path, scratch["number"]])
    return try #require(Int(try scratch.sortedLines("number").first ?? ""))
  }
}
