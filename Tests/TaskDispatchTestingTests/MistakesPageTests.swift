import Foundation
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

// One after the other: each may write the page anew.
@Suite("The page of the commonest mistakes", .serialized)
struct MistakesPageTests {
  private static let page = "Documentation/Mistakes.md"

  /// What each piece of code on the page needs around it.
  private static let surroundings = """
    import TaskDispatch

    func save() throws {}
    func load() async {}
    @discardableResult func count() -> Int { 1 }
    func parse() throws -> Int { 1 }
    func show(_ number: Int) {}
    final class Cache { func clear() {} }

    func mistake(_ queue: TaskQueue) {

    """

  @Test(
    "shows what the compiler says",
    arguments: [
      "A body that throws", "A body that awaits", "A sync without try",
      "A reply that throws", "A capture that is not Sendable", "A priority by another name",
    ])
  func compiled(heading: String) throws {
    let code = try #require(
      try Page(Self.page).blocks(of: "swift").first { $0.heading == heading }?.text)

    let said = try Self.errors(of: Self.surroundings + code + "\n}\n")

    #expect(said.count == 1, "one sentence: \(said)")
    try Page.expect(Self.page, shows: said.joined(separator: "\n"), under: heading)
  }

  @Test("shows code that compiles once the mistake is mended")
  func mended() throws {
    let mended = """
        queue { try? save() }
        queue.submit { try save() }
        Task(executorPreference: queue.executor) { await load() }
        _ = try? queue.sync { count() }
        queue.async { try parse() } then: { if let value = try? $0.get() { show(value) } }
        queue.async(priority: .lowest) { count() }
        queue.async(priority: Task.currentPriority) { count() }
        let cache = Confined(Cache(), to: queue)
        queue { cache.withValue { $0.clear() } }
      }

      """

    #expect(try Self.errors(of: Self.surroundings + mended) == [])
  }

  @Test("shows what the program says of a queue of another dispatcher")
  func otherDispatcher() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (one, other) = (RecordingDispatcher(), RecordingDispatcher())
      let view = one.makeQueue(label: "disk", width: 1)
      other.suspend(view)
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let sentence = try #require(
      said.split(separator: "\n").first { $0.contains("Fatal error: ") }
        .map { $0[$0.range(of: "Fatal error: ")!.lowerBound...] })

    try Page.expect(Self.page, shows: String(sentence), under: "A queue of another dispatcher")
  }

  /// The errors that the compiler reports for a program, without the place.
  private static func errors(of program: String) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mistake-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "main.swift")
    try program.write(to: source, atomically: true, encoding: .utf8)
    // The modules lie beside the tests that were built with them.
    let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let modules = products.appending(path: "Modules")
    let moduleOfC = products.appending(path: "CThreads.build/module.modulemap")

    let (compiler, output) = (Process(), Foundation.Pipe())
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-I", modules.path,
      "-Xcc", "-fmodule-map-file=\(moduleOfC.path)", source.path,
    ]
    compiler.standardError = output
    compiler.standardOutput = output
    try compiler.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    compiler.waitUntilExit()
    let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
    let errors = lines.filter { $0.hasPrefix(source.path) && $0.contains(": error: ") }
      .map { String($0[$0.range(of: "error: ")!.lowerBound...]) }
    #expect(compiler.terminationStatus == 0 || !errors.isEmpty, "\(lines)")
    return errors
  }
}
