import TaskDispatch
import TaskDispatchTesting
import TaskDispatchTestingSupport
import Testing
import XCTest

// The examples of Documentation/TestFrameworks.md. `DocumentationTests` compares the two.

/// Measures a file on a worker, and keeps the result on the foreground.
struct Importer {
  let dispatcher: any TaskDispatcher
  let sizes: Confined<[String: Int]>

  init(dispatcher: any TaskDispatcher = Dispatchers.current) {
    self.dispatcher = dispatcher
    sizes = Confined([:], to: dispatcher.foreground)
  }

  func start(_ name: String, measure: @escaping @Sendable (String) -> Int) {
    dispatcher.background.async(label: "measure") { [dispatcher, sizes] in
      let size = measure(name)
      dispatcher.foreground.async(label: "keep") { sizes.withValue { $0[name] = size } }
    }
  }
}

@Suite("An importer", .dispatcher())
struct ImporterTests {
  let dispatcher = RecordingDispatcher.current!
  let importer = Importer()

  @Test("keeps a size when the foreground has run, and not before", arguments: [0, 12])
  func keepsSize(size: Int) throws {
    importer.start("a.txt") { _ in size }

    try dispatcher.runNextBackgroundTask()
    #expect(importer.sizes.withValue { $0 } == [:])

    try dispatcher.runNextForegroundTask()
    #expect(importer.sizes.withValue { $0 } == ["a.txt": size])
  }

  @Test("measures one file at a time if it must", .dispatcher(width: 1))
  func measuresOneAtATime() throws {
    importer.start("a.txt") { _ in 1 }
    importer.start("b.txt") { _ in 2 }

    #expect(dispatcher.runnableTasks.count == 1)

    try dispatcher.runUntilIdle()
    #expect(importer.sizes.withValue { $0 } == ["a.txt": 1, "b.txt": 2])
  }

  @Test("does nothing until it is started", .dispatcher(policy: .unimplemented))
  func doesNothing() {
    _ = Importer()
  }
}

final class ImporterXCTests: XCTestCase {
  func testKeepsASizeWhenTheForegroundHasRun() throws {
    try withRecordingDispatcher { dispatcher in
      let importer = Importer(dispatcher: dispatcher)
      importer.start("a.txt") { _ in 12 }

      try dispatcher.runUntilIdle()

      XCTAssertEqual(importer.sizes.withValue { $0 }, ["a.txt": 12])
    }
  }
}

final class AllImporterXCTests: XCTestCase {
  override func invokeTest() {
    withRecordingDispatcher { _ in super.invokeTest() }
  }

  func testKeepsASizeWhenTheForegroundHasRun() throws {
    let dispatcher = try XCTUnwrap(RecordingDispatcher.current)
    let importer = Importer()
    importer.start("a.txt") { _ in 12 }

    try dispatcher.runUntilIdle()

    XCTAssertEqual(importer.sizes.withValue { $0 }, ["a.txt": 12])
  }
}

// The same tests once more. Where the environment says so, they leave out the last step and fail.

@Suite("An importer whose test is cut short", .dispatcher())
struct ImporterFailureTests {
  @Test("keeps a size")
  func keepsSize() throws {
    let dispatcher = try #require(RecordingDispatcher.current)
    Importer().start("a.txt") { _ in 12 }
    try dispatcher.runNextBackgroundTask()
    if !ProcessOfItsOwn.isThis { try dispatcher.runNextForegroundTask() }
  }

  @Test("does nothing until it is started", .dispatcher(policy: .unimplemented))
  func doesNothing() {
    if ProcessOfItsOwn.isThis { Importer().start("a.txt") { _ in 12 } }
  }
}

final class ImporterFailureXCTests: XCTestCase {
  func testKeepsASize() throws {
    try withRecordingDispatcher { dispatcher in
      Importer().start("a.txt") { _ in 12 }
      try dispatcher.runNextBackgroundTask()
      if !ProcessOfItsOwn.isThis { try dispatcher.runNextForegroundTask() }
    }
  }
}
