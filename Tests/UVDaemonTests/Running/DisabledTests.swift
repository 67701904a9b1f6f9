#if Daemon
  import Foundation
  import Testing

  /// What the compiler says of code that needs the trait `Daemon`, in a build without that trait.
  @Suite("Without the trait")
  struct DisabledTests {
    private static let code = """
      import UVDaemon
      struct Other {}
      let a = try Daemon(Other(), logger: Other())
      let b = try Daemon(
        Other(), shutdown: Other(), secondSignalAfter: .seconds(1), manager: .absent, logger: Other())
      let c = LoggingObserver(Other())
      let d = MetricsObserver(dispatcher: "d")
      let e = TaskObservers(c, d)
      let f = try ServiceManager.current()
      func g(_ daemon: Daemon<Other>, _ manager: ServiceManager) {}
      do {} catch let error as EnvironmentError {}
      """

    @Test("each public type says that it needs the trait, and nothing else is said")
    func messages() throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "disabled-\(ProcessInfo.processInfo.processIdentifier)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let source = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/UVDaemon/Disabled.swift").standardized
      let file = folder.appending(path: "main.swift")
      try Self.code.write(to: file, atomically: true, encoding: .utf8)

      let module = try compile(
        ["-emit-module", "-module-name", "UVDaemon", "-parse-as-library", source.path], in: folder)
      #expect(module.isEmpty, "\(module)")
      let said = try compile(["-typecheck", "-I", folder.path, file.path], in: folder)

      let errors = said.split(separator: "\n").filter {
        $0.contains("main.swift:") && $0.contains(" error: ")
      }
      let sentence =
        #"is unavailable: UVDaemon needs the trait: .package(url: …, from: …, traits: ["Daemon"])"#
      for error in errors { #expect(error.hasSuffix(sentence), "\(error)") }
      for name in [
        "Daemon", "LoggingObserver", "MetricsObserver", "TaskObservers", "ServiceManager",
        "EnvironmentError",
      ] {
        #expect(errors.contains { $0.contains("'\(name)' is unavailable") }, "\(said)")
      }
    }

    /// - Returns: What the compiler has printed.
    private func compile(_ arguments: [String], in folder: URL) throws -> String {
      let (compiler, output) = (Process(), Pipe())
      compiler.executableURL = URL(filePath: "/usr/bin/env")
      compiler.arguments = ["swiftc"] + arguments
      compiler.currentDirectoryURL = folder
      compiler.standardError = output
      compiler.standardOutput = output
      try compiler.run()
      let said = output.fileHandleForReading.readDataToEndOfFile()
      compiler.waitUntilExit()
      return String(decoding: said, as: UTF8.self)
    }
  }
#endif
