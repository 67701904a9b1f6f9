internal import TaskDispatch
internal import TaskDispatchTesting

extension Scene {
  // MARK: Expecting

  /// Remembers a violation unless `condition` holds. Any thread.
  func expect(
    _ condition: Bool, _ expected: String, _ found: @autoclosure () -> String = "it is not so",
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    guard !condition else { return }
    record(violation(expected, found(), fileID: fileID, line: line))
  }

  /// Remembers a violation unless `found` is what was expected. Any thread.
  func expect<Value: Equatable>(
    _ what: String, _ found: Value, is expected: Value,
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    expect(
      found == expected, "\(what): \(expected)", "\(found)", fileID: fileID, line: line)
  }

  /// Remembers a violation unless the notes are `expected`, in this order.
  func expectNotes(
    _ expected: [String], _ why: String, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    let found = notes
    expect(
      found == expected, "\(why): \(expected.joined(separator: ", "))",
      found.isEmpty ? "nothing ran" : found.joined(separator: ", "), fileID: fileID, line: line)
  }

  /// Remembers a violation unless `body` throws `WaitRefusal.wouldDeadlock`, with a chain.
  func expectDeadlock(
    _ what: String, fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Void
  ) {
    do {
      try body()
      expect(
        false, "\(what) is refused: it could never go on", "it went on", fileID: fileID, line: line)
    } catch WaitRefusal.wouldDeadlock(let chain) {
      expect(
        !chain.isEmpty, "\(what) is refused with the chain of waiting", "an empty chain",
        fileID: fileID, line: line)
    } catch {
      expect(
        false, "\(what) is refused as a deadlock", "\(error)", fileID: fileID, line: line)
    }
  }

  /// Runs `body` and remembers a violation if it throws. Any thread.
  func expectNoThrow(
    _ what: String, fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Void
  ) {
    do { try body() } catch {
      expect(false, "\(what) succeeds", "\(error)", fileID: fileID, line: line)
    }
  }

  // MARK: Doing

  /// Runs `body` as a task of `queue`, and lets things run until it has ended.
  func perform(
    on queue: TaskQueue, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) throws {
    let ended = Latch()
    queue.async(label: "performed on \(queue)") {
      body()
      ended.open()
    }
    try reach(ended, "a body on \(queue) runs to its end", fileID: fileID, line: line)
  }

  /// Lets things run until `handle` has an outcome.
  func outcome<Value>(
    of handle: TaskHandle<Value>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Outcome {
    try start()
    do {
      return try handle.wait(timeout: timeout)
    } catch {
      throw violation(
        "\(handle.label ?? "the task") gets an outcome", "\(error)", fileID: fileID, line: line)
    }
  }

  /// Starts a Swift Task, of the priority of a band, whose jobs run on the background, or on `queue`. It inherits nothing.
  @discardableResult
  func task(
    priority: PriorityBand = .medium, on queue: TaskQueue? = nil,
    _ operation: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    Task.detached(executorPreference: (queue ?? background).executor, priority: priority.priority) {
      await operation()
    }
  }
}
