import Testing

@testable import UVDispatch

extension UVDispatcher {
  /// Shuts down a dispatcher that was started, and waits until its loop has ended.
  func end() {
    beginShutdown(.init(drain: .seconds(3600)))
    waitUntil { $0.loop.isOver }
  }
}
