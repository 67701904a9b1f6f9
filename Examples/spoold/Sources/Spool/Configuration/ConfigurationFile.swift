internal import Glibc

/// A file of lines `name = value`. A line that begins with `#` is a comment.
struct ConfigurationFile: Sendable {
  struct Entry: Sendable, Hashable {
    let setting: Setting
    let value: String
    let line: Int
  }

  private(set) var entries: [Entry] = []
  private(set) var errors: [ConfigurationError] = []

  /// A file with more bytes is no configuration.
  private static let mostBytes = 1 << 20
  private static let mostErrors = 100
  /// The most bytes of a name that a message shows.
  private static let mostShown = 40

  /// Reads the file. Call it on a worker: it waits for the disk.
  static func read(_ path: BytePath) throws(ConfigurationErrors) -> ConfigurationFile {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try contents(of: path) } catch {
      throw ConfigurationErrors(
        all: [.init(place: .wholeFile(path), reason: "cannot read this file: \(error)")])
    }
    return ConfigurationFile(bytes, path)
  }

  private static func contents(of path: BytePath) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(opening: path, O_RDONLY | O_NOCTTY)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while bytes.count <= mostBytes {
      let count = try file.read(into: &chunk)
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
    throw SystemError(call: "read", code: EFBIG)
  }

  init(_ bytes: [UInt8], _ path: BytePath) {
    var lines: [Setting: Int] = [:]
    let texts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, text) in texts.enumerated() {
      guard errors.count < Self.mostErrors else {
        refuse(path, index + 1, "more is wrong; only the first \(Self.mostErrors) errors are told")
        return
      }
      let line = Self.trimmed(text)
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      take(line, path, index + 1, &lines)
    }
  }

  private mutating func take(
    _ line: ArraySlice<UInt8>, _ path: BytePath, _ number: Int, _ lines: inout [Setting: Int]
  ) {
    guard let mark = line.firstIndex(of: UInt8(ascii: "=")) else {
      return refuse(path, number, "found \(Self.shown(line)) where name = value is expected")
    }
    let name = Self.trimmed(line[..<mark])
    let value = Self.trimmed(line[(mark + 1)...])
    guard let setting = Setting(rawValue: String(decoding: name, as: UTF8.self)) else {
      let near = Setting.nearest(to: String(decoding: name, as: UTF8.self))
      let hint =
        near.map { "did you mean \($0.name)?" }
        ?? "there are \(Setting.allCases.map(\.name).joined(separator: ", "))"
      return refuse(path, number, "there is no setting \(Self.shown(name)); \(hint)")
    }
    if let before = lines.updateValue(number, forKey: setting) {
      return refuse(path, number, "\(setting.name) was set in line \(before) already")
    }
    guard !value.isEmpty else {
      return refuse(path, number, "\(setting.name) has no value; expected \(setting.form)")
    }
    entries.append(
      Entry(setting: setting, value: ArgumentText.text(of: Array(value)), line: number))
  }

  private mutating func refuse(_ path: BytePath, _ line: Int, _ reason: String) {
    errors.append(ConfigurationError(place: .file(path, line: line), reason: reason))
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    return text.drop(while: isSpace).reversed().drop(while: isSpace).reversed()[...]
  }

  /// What was found, for a message of one line.
  static func shown(_ text: some Collection<UInt8>) -> String {
    let more = text.count > mostShown ? "…" : ""
    return "\"\(BytePath(text.prefix(mostShown)))\(more)\""
  }
}
