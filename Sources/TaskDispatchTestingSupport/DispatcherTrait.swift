public import TaskDispatchTesting
public import Testing

/// Gives each test a ``RecordingDispatcher`` of its own, and finishes it.
///
/// ```swift
/// @Test(.dispatcher(width: 1))
/// func counts() throws {
///   let dispatcher = try #require(RecordingDispatcher.current)
///   …
/// }
/// ```
///
/// Inside the test, in its suite's `init` and in the Tasks that it starts, the fake is
/// `Dispatchers.current` and `RecordingDispatcher.current`. On a suite the trait counts for every
/// test in it, those of inner suites too; each test has its own fake, and so has each case of a
/// parameterised test, so they can run in parallel. Of several such traits the innermost one's is
/// current, and all are finished.
///
/// After the test, also after one that threw, it calls `finish()`. What that throws is an issue at
/// the test's line, with the end of the timeline in it and all of it attached as `timeline.txt`. For
/// a test that threw it is a warning: the test had no chance to run the rest, and its own error is
/// what to look at. A use of a dispatcher whose policy is `.unimplemented` is an issue at the
/// caller's line, recorded when it happens.
public struct DispatcherTrait: TestTrait, SuiteTrait, TestScoping {
  /// What each fake is made with. An observer in it is shared by all of them.
  public let configuration: RecordingDispatcher.Configuration

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let scope = RecordingScope(configuration, at: Place(test.sourceLocation))
    try await scope.run { _ in try await function() }
  }
}

extension Trait where Self == DispatcherTrait {
  /// A ``RecordingDispatcher`` for each test, made with `configuration`.
  ///
  /// - Parameter configuration: A width, a step limit or a limit below 1 traps when a test begins.
  public static func dispatcher(
    _ configuration: RecordingDispatcher.Configuration
  ) -> DispatcherTrait {
    DispatcherTrait(configuration: configuration)
  }

  /// A ``RecordingDispatcher`` for each test. The parameters are those of its configuration, with
  /// the same defaults; what is not among them needs the configuration itself.
  ///
  /// - Parameters:
  ///   - width: The most background tasks that are started at a time. At least 1.
  ///   - policy: When bodies run.
  ///   - stepLimit: The most steps that one call runs before it gives up. At least 1.
  ///   - leftovers: What tasks that never ran mean for the test.
  ///   - thrownErrors: When an error that nobody was waiting for comes back.
  public static func dispatcher(
    width: Int = 3, policy: RecordingDispatcher.Policy = .manual, stepLimit: Int = 10_000,
    leftovers: RecordingDispatcher.Leftovers = .fail,
    thrownErrors: RecordingDispatcher.ThrownErrors = .atFinish
  ) -> DispatcherTrait {
    dispatcher(
      RecordingDispatcher.Configuration(
        width: width, policy: policy, stepLimit: stepLimit, leftovers: leftovers,
        thrownErrors: thrownErrors))
  }
}
