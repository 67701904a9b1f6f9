internal import Glibc
internal import TaskDispatch

/// The files that the program and its libraries were loaded from. An upgrade may replace them while the program runs: then
/// they name other functions.
struct LoadedFiles: Sendable {
  private struct Identity: Hashable {
    let device: UInt
    let number: UInt
    let size: Int
    let changed: [Int]

    /// Nil if there is no such file.
    init?(_ path: String) {
      var info = stat()
      guard unsafe stat(path, &info) == 0 else { return nil }
      device = UInt(info.st_dev)
      number = UInt(info.st_ino)
      size = Int(info.st_size)
      changed = [
        info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec,
      ]
    }
  }

  private let paths: Set<String>
  private let identities: [String: Identity]

  /// - Parameter paths: Those of what is loaded; empty for the program.
  init(_ paths: [String]) {
    let replaced = Self.replaced()
    self.paths = Set(paths)
    identities = Dictionary(
      paths.filter { !replaced.contains($0) }
        .compactMap { path in Identity(Self.file(path)).map { (path, $0) } },
      uniquingKeysWith: { $1 })
  }

  /// The paths at which there is another file now, or none.
  func changed() -> Set<String> {
    paths.filter { path in
      guard let identity = identities[path] else { return true }
      return Identity(Self.file(path)) != identity
    }
  }

  /// The file that names are read from.
  private static func file(_ path: String) -> String { path.isEmpty ? program : path }

  private static let program: String = {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
    return String(
      decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// What was replaced before. The kernel says so of what is mapped, and of the program in the name of its file.
  private static func replaced() -> Set<String> {
    let mark = " (deleted)"
    var paths = Set<String>()
    for line in read("/proc/self/maps").split(separator: "\n") where line.hasSuffix(mark) {
      guard let start = line.firstIndex(of: "/") else { continue }
      paths.insert(String(line[start...].dropLast(mark.count)))
    }
    if program.hasSuffix(mark) { paths.insert("") }
    return paths
  }

  private static func read(_ path: String) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = unsafe Glibc.read(file, &part, part.count), count > 0 {
      bytes += part.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
