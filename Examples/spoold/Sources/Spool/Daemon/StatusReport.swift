internal import TaskDispatch

/// What spoold is doing, in numbers and names.
struct StatusReport: Sendable {
  private(set) var members: [JSON.Member] = []

  private mutating func add(_ name: String, _ value: JSON) { members.append(.init(name, value)) }

  private static let most = 10

  init(
    _ state: KeeperState, configuration: Configuration, uptime: Duration, clients: Int?
  ) {
    add("state", state.phase == .keeping ? "keeping" : "draining")
    add("spool", .string(configuration.spool.bytes))
    add("manifest", .string(configuration.manifest.bytes))
    add("uptime_seconds", .number(Int(uptime.components.seconds)))
    add("files", .number(state.catalogue.count))
    add("unsaved", .number(state.catalogue.unsavedCount))
    add("pending", .number(state.pending.count + state.found.count))
    add("reading", .number(state.reading.count))
    add("unreadable", .number(state.problems.count))
    add("scanning", .bool(!state.scan.isOver))
    add("directories_waiting", .number(state.scan.count))
    add("directories_watched", .number(state.tree.watchCount))
    add("files_read", .number(state.counts.read.files))
    add("bytes_read", .number(state.counts.read.bytes))
    add("files_gone", .number(state.counts.gone))
    add("notices", .number(state.counts.events))
    add("overflows", .number(state.counts.overflows))
    add("scans", .number(state.counts.scans))
    add("replacements", .number(state.saving.replacements))
    if let clients { add("clients", .number(clients)) }
    add("trouble", .array(Self.troubles(of: state)))
  }

  /// What is wrong and lasts.
  private static func troubles(of state: KeeperState) -> [JSON] {
    var notices: [Notice] = []
    if let stop = state.saving.obstacle { notices.append(.cannotSave(stop)) }
    if let error = state.shortage { notices.append(.shortage(error)) }
    if let error = state.blindness {
      notices.append(.blind(error, rescanEvery: state.rescanInterval ?? .zero))
    }
    return notices.map { .string($0.message) }
  }

  /// Adds names: of files that are being read, and of files that cannot be read.
  mutating func addNames(of state: KeeperState) {
    add("reading_now", .array(state.reading.keys.prefix(Self.most).map { .string($0.bytes) }))
    add("problems", .array(state.problems.values.prefix(Self.most).map { .string($0.message) }))
  }

  mutating func add(_ ledger: Ledger) { add("tasks", "\(ledger)") }

  /// The report for a client.
  var reply: JSON { .object([.init("ok", true)] + members) }

  /// The report for a person: one line each, without its end.
  var lines: [[UInt8]] {
    members.map { member in
      let value =
        switch member.value {
        case .string(let bytes): BytePath(bytes).shown
        case let other: other.text
        }
      return "\(member.name): ".utf8 + value
    }
  }
}
