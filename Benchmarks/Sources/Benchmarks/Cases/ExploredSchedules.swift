import Measuring
import TaskDispatch
import TaskDispatchTesting

extension Case {
  /// The cost of exploring one order of three short tasks, with the fake that runs it.
  static let exploredSchedules = Case(
    "explored schedules",
    rows: [Row("fake, a schedule of three bodies"), Row("fake, a schedule of three Tasks")]
  ) { effort in
    let (ofBodies, ofTasks) = (effort.count(20_000), effort.count(5_000))
    return [
      Contestant(Contestant.ours) { () -> [Double] in
        [
          explored(ofBodies) { dispatcher in
            for _ in 0..<3 { dispatcher.background {} }
          },
          explored(ofTasks) { dispatcher in
            let executor = dispatcher.background.executor
            for _ in 0..<3 { Task(executorPreference: executor) {} }
          },
        ]
      }
    ]
  }

  private static func explored(
    _ schedules: Int, _ submit: (RecordingDispatcher) -> Void
  ) -> Double {
    var ran = 0
    let cost = timed {
      let result = try! explore(
        .random(seed: 1, schedules: schedules), budget: .init(schedules: schedules)
      ) { dispatcher in
        submit(dispatcher)
        return try dispatcher.runUntilIdle()
      }
      ran = result.schedulesRun
    }
    precondition(ran == schedules)
    return cost / Double(schedules)
  }
}
