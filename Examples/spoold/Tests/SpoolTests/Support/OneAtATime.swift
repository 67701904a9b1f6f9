import Testing

/// Runs tests one after the other, those of other suites with this trait included.
///
/// They start programs and lock files. A child holds the locks of the process that starts it until
/// it has become another program; a test that runs beside that finds its own file locked.
struct OneAtATime: TestTrait, SuiteTrait, TestScoping {
  private static let turn = Turn()

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turn.begin()
    do {
      try await function()
    } catch {
      await Self.turn.end()
      throw error
    }
    await Self.turn.end()
  }

  private actor Turn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
      if isTaken { await withCheckedContinuation { waiting.append($0) } }
      isTaken = true
    }

    /// Hands the turn over without freeing it in between.
    func end() {
      guard waiting.isEmpty else { return waiting.removeFirst().resume() }
      isTaken = false
    }
  }
}

extension Trait where Self == OneAtATime {
  static var oneAtATime: OneAtATime { OneAtATime() }
}
