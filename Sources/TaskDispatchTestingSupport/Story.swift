internal import TaskDispatchTesting

/// What a dispatcher did, to be shown with a failed test.
struct Story {
  /// The timeline, or nil if there is none.
  let whole: String?
  /// Its newest events, as many as fit into a message.
  let end: String?

  static let longestEnd = 30

  init(of dispatcher: RecordingDispatcher) {
    guard !dispatcher.history.isEmpty else {
      whole = nil
      end = nil
      return
    }
    whole = dispatcher.timeline()
    end = dispatcher.timeline(limit: Self.longestEnd)
  }
}
