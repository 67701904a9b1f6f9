/// Something to hold weakly: when it is gone, whoever captured it has been released.
final class Token: Sendable {
  /// Keeps the token alive where it is captured.
  func touch() {}
}
