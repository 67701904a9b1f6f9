import Testing

@testable import UVDispatch

extension UVDispatcher {
  /// Shuts a dispatcher that was started down, and stands still until its loop has ended.
  func end() {
    beginShutdown(.init(drain: .seconds(3600)))
    waitUntil { $0.loop.isOver }
  }
}
