import Measuring
import TaskDispatch
import TaskDispatchTesting

extension Case {
  /// The cost of a submission and its step on the fake, which keeps its history.
  static let fakeSteps = Case(
    "steps of the fake",
    rows: [
      Row("fake, a foreground task, submitted and stepped"),
      Row("fake, a background task, submitted and stepped"),
    ]
  ) { effort in
    let (batches, batch) = (effort.count(50), 1_000)
    return [
      Contestant(Contestant.ours) { () -> [Double] in
        [true, false].map { isForeground in
          var cost = 0.0
          for _ in 0..<batches {
            let dispatcher = RecordingDispatcher()
            let queue = isForeground ? dispatcher.foreground : dispatcher.background
            cost += timed {
              for _ in 0..<batch { queue {} }
              for _ in 0..<batch {
                if isForeground {
                  try! dispatcher.runNextForegroundTask()
                } else {
                  try! dispatcher.runNextBackgroundTask()
                }
              }
            }
          }
          return cost / Double(batches * batch)
        }
      }
    ]
  }
}
