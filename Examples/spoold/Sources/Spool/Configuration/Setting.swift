/// Every setting, by its name, which is the same on the command line and in the file.
public enum Setting: String, Sendable, CaseIterable {
  case spool, manifest, status, dump, drain, settle
  case settleAtMost = "settle-at-most"
  case replaceEvery = "replace-every"
  case rescanEvery = "rescan-every"
  case statusIdle = "status-idle"
  case statusClients = "status-clients"

  public var name: String { rawValue }

  /// What a value must be, for messages.
  var form: String {
    switch self {
    case .spool: "a directory"
    case .manifest, .dump: "a file"
    case .status: "a path for the socket"
    case .drain: "\(DurationText.form), from 0s to 1h"
    case .settle, .settleAtMost: "\(DurationText.form), from 1ms to 1h"
    case .replaceEvery: "\(DurationText.form), from 10ms to 1h"
    case .rescanEvery: "never, or \(DurationText.form), from 1s to 24h"
    case .statusIdle: "\(DurationText.form), from 100ms to 1h"
    case .statusClients: "a number of clients from 1 to 10000"
    }
  }

  private var bounds: ClosedRange<Duration> {
    switch self {
    case .drain: .zero ... .seconds(3_600)
    case .replaceEvery: .milliseconds(10) ... .seconds(3_600)
    case .rescanEvery: .seconds(1) ... .seconds(86_400)
    case .statusIdle: .milliseconds(100) ... .seconds(3_600)
    default: .milliseconds(1) ... .seconds(3_600)
    }
  }

  /// Sets the setting to what `text` says. False if that makes no sense.
  func set(_ text: String, in configuration: inout Configuration) -> Bool {
    switch self {
    case .spool, .manifest, .status, .dump:
      let path = ArgumentText.path(text)
      guard !path.bytes.contains(0) else { return false }
      set(path, in: &configuration)
    case .rescanEvery where text == "never": configuration.keeper.rescanEvery = nil
    case .drain, .settle, .settleAtMost, .replaceEvery, .rescanEvery, .statusIdle:
      guard let duration = DurationText.duration(text), bounds.contains(duration) else {
        return false
      }
      set(duration, in: &configuration)
    case .statusClients:
      guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
        let number = Int(text), 1...10_000 ~= number
      else { return false }
      configuration.clients.clients = number
    }
    return true
  }

  private func set(_ path: BytePath, in configuration: inout Configuration) {
    switch self {
    case .spool: configuration.spool = path
    case .manifest: configuration.manifest = path
    case .status: configuration.status = path
    default: configuration.dump = path
    }
  }

  private func set(_ duration: Duration, in configuration: inout Configuration) {
    switch self {
    case .drain: configuration.drain = duration
    case .settle: configuration.keeper.settle = duration
    case .settleAtMost: configuration.keeper.settleAtMost = duration
    case .replaceEvery: configuration.keeper.replaceEvery = duration
    case .rescanEvery: configuration.keeper.rescanEvery = duration
    default: configuration.clients.idle = duration
    }
  }

  /// The current value; nil if there is none.
  func value(in configuration: Configuration) -> [UInt8]? {
    let keeper = configuration.keeper
    return switch self {
    case .spool: configuration.spool.bytes
    case .manifest: configuration.manifest.bytes
    case .status: configuration.status?.bytes
    case .dump: configuration.dump?.bytes
    case .drain: Self.text(configuration.drain)
    case .settle: Self.text(keeper.settle)
    case .settleAtMost: Self.text(keeper.settleAtMost)
    case .replaceEvery: Self.text(keeper.replaceEvery)
    case .rescanEvery: keeper.rescanEvery.map(Self.text) ?? Array("never".utf8)
    case .statusIdle: Self.text(configuration.clients.idle)
    case .statusClients: Array("\(configuration.clients.clients)".utf8)
    }
  }

  private static func text(_ duration: Duration) -> [UInt8] {
    Array(DurationText.text(of: duration).utf8)
  }

  /// The setting that `name` may have been meant to be; nil if none is near.
  static func nearest(to name: String) -> Setting? {
    allCases.map { ($0, distance($0.name, name)) }.filter { $0.1 <= max(1, name.utf8.count / 3) }
      .min { $0.1 < $1.1 }?.0
  }

  /// How many letters must be inserted, removed or changed to turn one text into the other.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let best = min(diagonal + (letter == other ? 0 : 1), row[j] + 1, row[j + 1] + 1)
        diagonal = row[j + 1]
        row[j + 1] = best
      }
    }
    return row[right.count]
  }
}
