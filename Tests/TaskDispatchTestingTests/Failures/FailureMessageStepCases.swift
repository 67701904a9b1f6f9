import TaskDispatch
import TaskDispatchTesting

extension FailureMessage {
  /// Steps that could not do what they were asked to.
  static let ofSteps: [FailureMessage] = [
    FailureMessage("Nothing is queued there") { dispatcher in
      dispatcher.background.async(label: "hash", fileID: "App/Importer.swift", line: 31) {}
      dispatcher.foreground.after(
        .seconds(5), label: "retry", fileID: "App/Importer.swift", line: 44
      ) {}
      return thrown { try dispatcher.runNextForegroundTask() }
    },
    FailureMessage("Nothing is queued at all") { dispatcher in
      return thrown { try dispatcher.runNextBackgroundTask() }
    },
    FailureMessage("Only an event is awaited") { dispatcher in
      try dispatcher.onSignal(
        .terminate, label: "end", fileID: "App/main.swift", line: 12
      ) { _ in }
      return thrown { try dispatcher.runNextForegroundTask() }
    },
    FailureMessage("Nothing can run there") { dispatcher in
      let uploads = dispatcher.makeQueue(label: "uploads", width: 1)
      uploads.suspend()
      uploads.async(label: "send", fileID: "App/Upload.swift", line: 18) {}
      uploads.async(label: "confirm", fileID: "App/Upload.swift", line: 20) {}
      return thrown { try dispatcher.runNextTask(on: uploads) }
    },
    FailureMessage("This one cannot run now") { dispatcher in
      for name in ["draw", "log", "beep"] {
        dispatcher.foreground.async(label: name, fileID: "App/Screen.swift", line: 9) {}
      }
      return thrown { try dispatcher.runTask(labeled: "beep") }
    },
    FailureMessage("Every obstacle") { try everyObstacle(on: $0) },
    FailureMessage("No task has this label") { dispatcher in
      for name in ["hash report.pdf", "hash notes.txt", "thumbnail"] {
        dispatcher.background.async(label: name, fileID: "App/Importer.swift", line: 31) {}
      }
      return thrown { try dispatcher.runTask(labeled: "hash report.pfd") }
    },
    FailureMessage("Several tasks have this label") { dispatcher in
      dispatcher.background.async(label: "fetch", fileID: "App/Feed.swift", line: 27) {}
      dispatcher.background.async(label: "fetch", fileID: "App/Avatar.swift", line: 12) {}
      return thrown { try dispatcher.runTask(labeled: "fetch") }
    },
    FailureMessage("No task has this id") { dispatcher in
      dispatcher.background.async(label: "hash", fileID: "App/Importer.swift", line: 31) {}
      let done = try dispatcher.runNextBackgroundTask()
      dispatcher.foreground.async(label: "show", fileID: "App/Importer.swift", line: 35) {}
      return thrown { try dispatcher.runTask(done.id) }
    },
    FailureMessage("It never ends") { dispatcher in
      @Sendable func poll() {
        dispatcher.background.async(label: "poll", fileID: "App/Poller.swift", line: 22) {
          dispatcher.foreground(fileID: "App/Poller.swift", line: 24) { poll() }
        }
      }
      poll()
      return thrown { try dispatcher.runUntilIdle(limit: 1_000) }
    },
    FailureMessage("A step inside a step") { dispatcher in
      let text = Confined("", to: dispatcher.foreground)
      dispatcher.foreground.async(label: "show", fileID: "App/Importer.swift", line: 35) {
        text.withValue { $0 = thrown { try dispatcher.runUntilIdle() } }
      }
      try dispatcher.runNextForegroundTask()
      return text.withValue { $0 }
    },
    FailureMessage("Time does not go back") { dispatcher in
      try dispatcher.advanceTime(by: .seconds(60))
      return thrown { try dispatcher.advanceTime(by: .seconds(-5)) }
    },
    FailureMessage("The condition never held") { dispatcher in
      dispatcher.background.async(label: "hash", fileID: "App/Importer.swift", line: 31) {}
      dispatcher.foreground.after(
        .seconds(5), label: "retry", fileID: "App/Importer.swift", line: 44
      ) {}
      return thrown { try dispatcher.run(until: { dispatcher.hasRun("retry") }) }
    },
    FailureMessage("A body threw, and the step says so", .init(thrownErrors: .atOnce)) {
      dispatcher in
      dispatcher.background.submit(label: "read", fileID: "App/Settings.swift", line: 14) {
        throw FileMissing(path: "settings.json")
      }
      return thrown { try dispatcher.runNextBackgroundTask() }
    },
    FailureMessage("A Swift Task waits for something else") { dispatcher in
      let (numbers, source) = AsyncStream.makeStream(of: Int.self)
      let text = thrown {
        try dispatcher.runAsync(fileID: "AppTests/FeedTests.swift", line: 52) {
          for await _ in numbers {}
        }
      }
      source.finish()
      try dispatcher.runUntilIdle()
      return text
    },
    FailureMessage("A Swift Task sleeps") { dispatcher in
      let text = thrown {
        try dispatcher.runAsync(fileID: "AppTests/FeedTests.swift", line: 61) {
          try await dispatcher.clock.sleep(for: .seconds(30))
        }
      }
      try dispatcher.advanceTime(by: .seconds(30))
      return text
    },
    FailureMessage("No handler is registered for the event") { dispatcher in
      try dispatcher.onSignal(.hangup, fileID: "App/main.swift", line: 12) { _ in }
      return thrown { try dispatcher.raise(.terminate) }
    },
  ]

  /// One task for each kind of obstacle, and the error of a step that asks for it by its label.
  private static func everyObstacle(on dispatcher: RecordingDispatcher) throws -> String {
    let one = dispatcher.makeQueue(label: "one at a time", width: 1)
    let files = dispatcher.makeQueue(label: "files", width: 2)
    let held = dispatcher.makeQueue(label: "held", width: 1)
    held.suspend()
    let group = WorkGroup()
    group.enter()
    func submit(_ queue: TaskQueue, _ label: String, _ line: UInt) {
      queue.async(label: label, fileID: "App/Obstacles.swift", line: line) {}
    }

    submit(one, "started", 1)
    submit(one, "width", 2)
    submit(dispatcher.background, "overtakes", 3)
    // This step makes a worker take the first task, which then keeps the only place of its queue.
    try dispatcher.runTask(labeled: "overtakes")

    submit(dispatcher.foreground, "first", 4)
    submit(dispatcher.foreground, "second", 5)
    submit(files, "read", 6)
    submit(files.barrier, "write", 7)
    submit(files, "read again", 8)
    submit(held, "held", 9)
    dispatcher.background.after(
      .seconds(3), label: "later", fileID: "App/Obstacles.swift", line: 10
    ) {}
    group.notify(
      on: dispatcher.background, label: "all done", fileID: "App/Obstacles.swift", line: 11
    ) {}

    let lines = ["width", "second", "write", "read again", "held", "later", "all done"].map {
      label in
      thrown { try dispatcher.runTask(labeled: label) }
    }
    return lines.joined(separator: "\n")
  }
}
