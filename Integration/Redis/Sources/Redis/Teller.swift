internal import UVDispatch

/// Calls closures on the foreground, one after the other, for callbacks of C.
///
/// What C calls on the loop's thread is no task: it cannot reach anything that is confined to the
/// foreground, and a user's closure that ran there could free what C is about to use. So the closure is
/// called later, in a job of a Task. A posted task would do most of the time. But a dispatcher that
/// shuts down refuses what no task of its own posts, and a dispatcher with a limit refuses what it has
/// no room for. It never refuses jobs, and a shutdown waits for them.
final class Teller: @unchecked Sendable {
  // Touched on the loop's thread only: by callbacks there, and by jobs of the foreground.
  private var untold: [@Sendable () -> Void] = []
  private var isTelling = false
  private let foreground: TaskQueue

  init(on foreground: TaskQueue) { self.foreground = foreground }

  /// Calls `body` soon, behind earlier closures. Call it on the loop's thread, in a task or not.
  func tell(_ body: @escaping @Sendable () -> Void) {
    untold.append(body)
    guard !isTelling else { return }
    isTelling = true
    Task(executorPreference: foreground.executor) { await self.tellAll() }
  }

  private func tellAll() async {
    while !untold.isEmpty {
      let bodies = untold
      untold = []
      for (index, body) in bodies.enumerated() {
        body()
        // Thousands of replies may arrive at once, and other tasks wait for the foreground as well.
        if index % 64 == 63 { await Task.yield() }
      }
    }
    isTelling = false
  }
}
