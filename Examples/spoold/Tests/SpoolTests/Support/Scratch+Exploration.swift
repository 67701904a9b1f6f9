import Glibc

@testable import Spool

/// What each run of an exploration does to the files. It does so in this process, because there are
/// thousands of runs.
extension Scratch {
  /// Removes everything, and writes these files, each with its text.
  ///
  /// Each run must find the same files. A test that writes to a file later must give it another size:
  /// within a tick of the file system's clock only the size changes its stamp.
  func begin(with files: KeyValuePairs<BytePath, String> = [:]) throws {
    try empty(BytePath(""))
    try makeDirectory("spool")
    for (name, text) in files { try write(name, text) }
  }

  private func empty(_ directory: BytePath) throws {
    let root = try SpoolDirectory(path)
    var entries: [(path: BytePath, isDirectory: Bool)] = []
    do {
      let stream = try DirectoryStream(directory, below: root.descriptor)
      while let (name, kind) = try stream.next() {
        entries.append((directory.appending(name), kind == .directory))
      }
    }
    for (entry, isDirectory) in entries {
      guard isDirectory else {
        try remove(entry)
        continue
      }
      try empty(entry)
      try checked("rmdir") { unsafe self[entry].withCString { unsafe rmdir($0) } }
    }
  }

  /// What the manifest must say of the spool as it is now, sorted. Other tests compare the reading of a
  /// file with `sha256sum`.
  func trueLines() throws -> [String] {
    let reader = FileReader(
      try SpoolDirectory(self["spool"]), settling: Settling(fine: .zero, coarse: .zero))
    var walk = Walk(reader.spool)
    var lines: [String] = []
    while true {
      let batch = try walk.next(256)
      for found in batch.files {
        guard case .done(let digest, _) = try reader.read(found.path) else { continue }
        let text = ManifestLine(digest: digest, path: found.path).text
        lines.append(String(decoding: text.dropLast(), as: UTF8.self))
      }
      if batch.isLast { return lines.sorted() }
    }
  }
}
