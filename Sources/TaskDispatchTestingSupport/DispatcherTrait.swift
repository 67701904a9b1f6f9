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
/// Inside the test, in its suite's `init` and in the Tasks that the test starts, the fake is `Dispatchers.current` and
/// `RecordingDispatcher.current`. On a suite, the trait applies to every test in it and in its inner suites. Each test,
/// and each case of a parameterised test, has its own fake, so they can run in parallel. If several such traits apply,
/// the fake of the innermost is current, and all fakes are finished.
///
/// After the test the trait calls `finish()`, also if the test threw. An error of `finish()` is an issue at the test's
/// line: the issue shows the end of the timeline, and the whole timeline is attached as `timeline.txt`. If the test
/// threw, the issue is only a warning: the test could not run the rest, and its own error comes first. A use of a
/// dispatcher whose policy is `.unimplemented` is an issue at the caller's line, recorded when it happens.
public struct DispatcherTrait: TestTrait, SuiteTrait, TestScoping {
  /// How each fake is made. All fakes share an observer in it.
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

  /// A ``RecordingDispatcher`` for each test, with these parameters of its configuration.
  ///
  /// They have the configuration's defaults. For any other setting, pass a configuration.
  ///
  /// - Parameters:
  ///   - width: The most background tasks that are started at a time. At least 1.
  ///   - policy: When bodies run.
  ///   - stepLimit: The most steps that one call runs before it gives up. At least 1.
  ///   - leftovers: What tasks that never ran mean for the test.
  ///   - thrownErrors: When an error that no code was waiting for is thrown to the test.
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
