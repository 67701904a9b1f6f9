import TaskDispatch
import TaskDispatchTestingSupport
import Testing

/// Runs `body`, and returns the issues that it recorded, in their order. They do not fail the calling test. An
/// error that `body` throws is the last of them.
func recordedIssues(in body: () async throws -> Void) async -> [Issue] {
  let issues = Locked<[Issue]>([])
  // `withKnownIssue` throws only what the matcher does not accept, and this matcher accepts everything.
  try? await withKnownIssue("what this test is about", isIntermittent: true) {
    try await body()
  } matching: { issue in
    issues.withLock { $0.append(issue) }
    return true
  }
  return issues.withLock { $0 }
}

/// Runs `body` under `trait`, as the trait does it for a test of its own, and returns the issues that were
/// recorded.
func recordedIssues(
  with trait: DispatcherTrait, in body: @Sendable () async throws -> Void
) async throws -> [Issue] {
  let test = try #require(Test.current)
  return await recordedIssues {
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }
}

extension Issue {
  var text: String { comments.map(\.rawValue).joined(separator: "\n") }
}

extension StringProtocol {
  /// Whether it contains each of `parts`, in that order.
  func mentions(_ parts: [String]) -> Bool {
    var rest = Substring(self)
    return parts.allSatisfy { part in
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
      return true
    }
  }
}

struct SomeError: Error, Equatable {}
