internal import Foundation
internal import PlantedBugs

/// A copy of the tracked files of the repository, with every bug in it, and the place where it is
/// built.
///
/// It stays for the next run, and a file that would not change is not written again: so the next build
/// has little to do.
struct WorkingCopy {
  let repository: URL
  let root: URL

  init(of repository: URL) {
    self.repository = repository
    root = repository.appending(path: ".build-mutants/tree")
  }

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// Brings the copy up to date with the tracked files of the repository, and plants `bugs`.
  ///
  /// - Parameter bugs: The place of a bug in this list, counted from 1, switches it on.
  /// - Throws: If a change does not fit its file, or a suite does not exist.
  func refresh(with bugs: [Bug]) async throws {
    var files: [String: Data] = [:]
    var links: [String: String] = [:]
    for path in try await trackedFiles() {
      let url = repository.appending(path: path)
      if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path) {
        links[path] = target
      } else {
        // A tracked file that was deleted and not yet committed does not exist.
        files[path] = try? Data(contentsOf: url)
      }
    }
    try plant(bugs, in: &files)
    try requireSuites(of: bugs, in: files)
    try makeTestsImpatient(in: &files)
    addBoardsOfTwins(to: &files)
    try write(files, besides: links)
    try link(links)
  }

  /// The package Interleavings has the sources by symbolic links, and needs the additional files as well.
  private func addBoardsOfTwins(to files: inout [String: Data]) {
    for target in ["TaskDispatch", "UVDispatch"] {
      guard files["Sources/\(target)/Switchboard.swift"] != nil else { continue }
      files["Interleavings/Sources/\(target)/Switchboard.swift"] = Data(Switchboard.twin.utf8)
    }
  }

  private func link(_ links: [String: String]) throws {
    let manager = FileManager.default
    for (path, target) in links {
      let url = root.appending(path: path)
      if (try? manager.destinationOfSymbolicLink(atPath: url.path)) == target { continue }
      try? manager.removeItem(at: url)
      try manager.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try manager.createSymbolicLink(atPath: url.path, withDestinationPath: target)
    }
  }

  private func trackedFiles() async throws -> [String] {
    let git = Trial(
      program: "/usr/bin/env", arguments: ["git", "-C", repository.path, "ls-files"],
      folder: repository)
    let (lines, status) = try await git.lines()
    guard status else { throw Problem(description: "git ls-files failed in \(repository.path)") }
    return lines.filter { !$0.isEmpty }
  }

  private func plant(_ bugs: [Bug], in files: inout [String: Data]) throws {
    let numbered = bugs.enumerated().map { (bug: $1, number: $0 + 1) }
    var boards: Set<String> = []
    var problems: [String] = []
    for (file, bugs) in Dictionary(grouping: numbered, by: \.bug.file) {
      let path = "Sources/\(file)"
      guard let source = files[path].map({ String(decoding: $0, as: UTF8.self) }) else {
        throw Problem(description: "\(bugs[0].bug.name): there is no \(path)")
      }
      // Each bug alone first: after a change of the sources, one run shall name all bugs that do not
      // fit.
      for bug in bugs {
        do { _ = try Planting.plant([bug], in: source) } catch { problems.append("\(error)") }
      }
      let language = Switchboard.Language(of: file)
      if problems.isEmpty {
        files[path] = Data((language.prelude + (try Planting.plant(bugs, in: source))).utf8)
      }
      boards.insert("Sources/\(file.prefix { $0 != "/" })/\(language.board)")
    }
    guard problems.isEmpty else {
      throw Problem(description: problems.sorted().joined(separator: "\n"))
    }
    for path in boards { files[path] = Data(Switchboard.Language(of: path).source.utf8) }
  }

  /// Checks that each suite exists. A filter that fits no test would say nothing, and send the bug on
  /// to the slow tests.
  private func requireSuites(of bugs: [Bug], in files: [String: Data]) throws {
    let tests = files.filter { $0.key.hasPrefix("Tests/") }.values
      .map { String(decoding: $0, as: UTF8.self) }
    let missing = Set(bugs.flatMap(\.suites)).filter { suite in
      !tests.contains { $0.contains("struct \(suite) ") }
    }
    guard missing.isEmpty else {
      throw Problem(
        description: "there are no such suites: \(missing.sorted().joined(separator: ", "))")
    }
  }

  /// Shortens the patience of the tests. They wait for what must happen, and with a bug it mostly does
  /// not happen.
  private func makeTestsImpatient(in files: inout [String: Data]) throws {
    for (path, patience) in [
      ("Tests/TestSupport/Threads.swift", "let patience = Duration.seconds(20)"),
      (
        "Sources/TaskDispatchContract/ContractSubject.swift",
        "public var patience: Duration { .seconds(20) }"
      ),
    ] {
      let source = String(decoding: files[path] ?? Data(), as: UTF8.self)
      guard source.ranges(of: patience).count == 1 else {
        throw Problem(description: "\(path) does not say how long tests wait: \(patience)")
      }
      let less = patience.replacing("seconds(20)", with: "seconds(4)")
      files[path] = Data(source.replacing(patience, with: less).utf8)
    }
  }

  private func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: root.appending(path: path).path))
      != nil
  }

  /// Writes what has changed, and removes sources and links that the repository does not have any more.
  private func write(_ files: [String: Data], besides links: [String: String]) throws {
    let manager = FileManager.default
    var hasOtherSources = false
    for (path, content) in files {
      let url = root.appending(path: path)
      if let old = try? Data(contentsOf: url), old == content { continue }
      if path.hasPrefix("Sources/"), !manager.fileExists(atPath: url.path) {
        hasOtherSources = true
      }
      try manager.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try content.write(to: url)
      let mode = try manager.attributesOfItem(
        atPath: repository.appending(path: path).existingPath(or: url))[.posixPermissions]
      if let mode { try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path) }
    }
    for old in manager.enumerator(atPath: root.path)?.compactMap({ $0 as? String }) ?? []
    where (old.hasSuffix(".swift") || isLink(old)) && files[old] == nil && links[old] == nil
      && !isBuilt(old)
    {
      if old.hasPrefix("Sources/") { hasOtherSources = true }
      try manager.removeItem(at: root.appending(path: old))
    }
    if hasOtherSources { try forgetBuilds(of: files) }
  }

  /// Deletes the build folders of packages that depend on another by its path. Such a build does not
  /// notice that the other has different files now, and links what it had built before.
  private func forgetBuilds(of files: [String: Data]) throws {
    for manifest in files.keys where manifest.hasSuffix("/Package.swift") {
      let build = root.appending(path: manifest).deletingLastPathComponent()
        .appending(path: ".build")
      if FileManager.default.fileExists(atPath: build.path) {
        try FileManager.default.removeItem(at: build)
      }
    }
  }

  private func isBuilt(_ path: String) -> Bool {
    path.split(separator: "/").contains { $0.hasPrefix(".build") }
  }
}

extension URL {
  fileprivate func existingPath(or other: URL) -> String {
    FileManager.default.fileExists(atPath: path) ? path : other.path
  }
}
