// A timeout that each request puts off, and a run of it in virtual time.
import TaskDispatch
import TaskDispatchTesting

/// Calls `end` on the foreground once nothing has been asked for so long.
final class IdleTimeout: Sendable {
  private let foreground: TaskQueue
  private let limit: Duration
  private let end: @Sendable () -> Void
  private let timer: Confined<TimerHandle?>

  init(
    _ limit: Duration, of dispatcher: any TaskDispatcher, end: @escaping @Sendable () -> Void
  ) {
    foreground = dispatcher.foreground
    self.limit = limit
    self.end = end
    timer = Confined(nil, to: dispatcher.foreground)
  }

  /// On the foreground, at the start and with each request.
  func putOff() {
    timer.withValue { timer in
      timer?.cancel()
      timer = foreground.after(limit, end)
    }
  }
}

let dispatcher = RecordingDispatcher()
let idle = IdleTimeout(.seconds(30), of: dispatcher) { print("idle at \(dispatcher.now)") }
dispatcher.foreground { idle.putOff() }
dispatcher.foreground.after(.seconds(20)) { idle.putOff() }
try dispatcher.advanceTime(by: .seconds(60))
try dispatcher.finish()
