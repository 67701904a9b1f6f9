import Dispatch
import TaskDispatch
import TaskDispatchTesting

extension FailureMessage {
  /// The errors of `finish()` in a test that has left or overlooked something.
  static let ofFinish: [FailureMessage] = [
    FailureMessage("Tasks are left over") { dispatcher in
      dispatcher.foreground.async(label: "open report.pdf", fileID: "App/Document.swift", line: 40)
      {
        dispatcher.background.async(
          label: "hash report.pdf", fileID: "App/Importer.swift", line: 31
        ) {
          dispatcher.foreground.async(label: "show", fileID: "App/Importer.swift", line: 35) {}
        }
      }
      dispatcher.foreground.every(
        .seconds(60), label: "refresh", fileID: "App/Feed.swift", line: 19
      ) {}
      try dispatcher.runNextForegroundTask()
      try dispatcher.runNextBackgroundTask()
      return thrown { try dispatcher.finish() }
    },
    FailureMessage("A body threw, and no code awaited it") { dispatcher in
      dispatcher.background.submit(label: "read", fileID: "App/Settings.swift", line: 14) {
        throw FileMissing(path: "settings.json")
      }
      try dispatcher.runUntilIdle()
      return thrown { try dispatcher.finish() }
    },
    FailureMessage("A Swift Task came back from elsewhere") { dispatcher in
      let (numbers, source) = AsyncStream.makeStream(of: Int.self)
      let task = Task(executorPreference: dispatcher.background.executor) {
        for await _ in numbers {}
      }
      try dispatcher.runUntilIdle()
      let finished = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        source.finish()
        finished.signal()
      }
      finished.wait()
      try dispatcher.runUntilIdle()
      return withExtendedLifetime(task) { thrown { try dispatcher.finish() } }
    },
    FailureMessage("A dispatcher was used that should not be", .init(policy: .unimplemented)) {
      dispatcher in
      dispatcher.background.async(label: "send", fileID: "App/Telemetry.swift", line: 8) {}
      return thrown { try dispatcher.finish() }
    },
    FailureMessage("What ran by itself failed", .init(policy: .automatic, stepLimit: 1_000)) {
      dispatcher in
      @Sendable func poll() {
        dispatcher.background.async(label: "poll", fileID: "App/Poller.swift", line: 22) { poll() }
      }
      dispatcher.allowLeftovers(labeled: "poll")
      poll()
      return thrown { try dispatcher.finish() }
    },
  ]
}
