internal import UVDispatch

/// Calls closures on the foreground, one after the other, for callbacks of C.
///
/// What C calls on the loop's thread is no task: nothing that is confined to the foreground can be
/// reached in it, and a user's closure that ran there could free what C is about to use. So it is called
/// later, in a job of a Task. A posted task would do most of the time; but a dispatcher that shuts down
/// refuses what no task of its own posts, and one with a limit refuses what it has no room for. Jobs it
/// never refuses, and a shutdown waits for them.
final class Teller: @unchecked Sendable {
  // Touched on the loop's thread only: by callbacks there, and by jobs of the foreground.
  private var untold: [@Sendable () -> Void] = []
  private var isTelling = false
  private let foreground: TaskQueue

  init(on foreground: TaskQueue) { self.foreground = foreground }

  /// Calls `body` soon, behind what was to be told before. The loop's thread, in a task or not.
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
        // Thousands of replies may come at once, and others wait for the foreground as well.
        if index % 64 == 63 { await Task.yield() }
      }
    }
    isTelling = false
  }
}
