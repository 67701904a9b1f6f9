import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("Explored: a manifest that cannot be written for a while")
struct SavingExplorationTests {
  /// No file takes the place of a directory, so nothing replaces the manifest.
  private static let obstacle = BytePath("manifest.spoold.new")

  /// A file goes, so the manifest must be replaced. That is not possible for some seconds.
  private static func obstruct(
    _ scratch: Scratch, _ dispatcher: RecordingDispatcher
  ) throws -> Int {
    try scratch.begin(with: ["spool/a": "a", "spool/b": "b"])
    try Trial.run(in: scratch)
    try scratch.remove("spool/a")
    try scratch.makeDirectory(obstacle)
    var settings = Vigil.settings
    settings.replaceEvery = .seconds(10)
    let vigil = try Vigil(in: scratch, settings: settings, on: dispatcher) { vigil in
      dispatcher.background.after(.seconds(5), label: "the obstacle goes") {
        _ = unsafe scratch[obstacle].withCString { unsafe rmdir($0) }
      }
    }
    try vigil.settle()

    try scratch.requireTruth()
    let told = vigil.told.map { if case .cannotSave = $0 { "cannot save" } else { "\($0)" } }
    try vigil.requireQuietEnd()
    return told.count
  }

  /// Found by an exploration: the loop was kept busy. A failed replacement was to be tried again after
  /// a second, and could not be, because the manifest is replaced only every ten seconds. Until then
  /// each timer set the next one for at once.
  @Test("is tried again when there is something to try, and the loop sleeps until then")
  func isTriedAgain() throws {
    let scratch = Scratch()
    let result = try explore(configuration: .init(stepLimit: 500)) {
      try Self.obstruct(scratch, $0)
    }
    // It reports the beginning and the end, or the obstacle had gone before.
    try result.requireOutcomes([0, 2])
  }
}
