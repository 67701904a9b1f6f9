import TaskDispatch
import TaskDispatchTesting

extension FailureMessage {
  /// Calls that would have waited for ever, and were refused.
  static let ofWaiting: [FailureMessage] = [
    FailureMessage("A task waits for its own queue") { dispatcher in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let text = Confined("", to: dispatcher.foreground)
      store.async(label: "save", fileID: "App/Store.swift", line: 21) {
        let refusal = thrown { try store.sync {} }
        dispatcher.foreground { text.withValue { $0 = refusal } }
      }
      try dispatcher.runUntilIdle()
      return text.withValue { $0 }
    },
    FailureMessage("Two queues wait for each other") { dispatcher in
      let store = dispatcher.makeQueue(label: "store", width: 1)
      let index = dispatcher.makeQueue(label: "index", width: 1)
      let text = Confined("", to: dispatcher.foreground)
      store.async(label: "save", fileID: "App/Store.swift", line: 21) {
        index.async(label: "rebuild", fileID: "App/Index.swift", line: 30) {
          let refusal = thrown { try store.sync {} }
          dispatcher.foreground { text.withValue { $0 = refusal } }
        }
        try? index.sync {}
      }
      try dispatcher.runUntilIdle()
      return text.withValue { $0 }
    },
    FailureMessage("One thread cannot put it in an order") { dispatcher in
      let index = dispatcher.makeQueue(label: "index", width: 1)
      let text = Confined("", to: dispatcher.foreground)
      index.async(label: "update", fileID: "App/Index.swift", line: 30) {
        dispatcher.background.async(label: "flush", fileID: "App/Index.swift", line: 31) {
          let refusal = thrown { try index.sync {} }
          dispatcher.foreground { text.withValue { $0 = refusal } }
        }
        dispatcher.background.async(label: "scan", fileID: "App/Index.swift", line: 32) {}
        _ = try? dispatcher.background.submit(label: "hash") {}.wait()
      }
      try dispatcher.runUntilIdle()
      return text.withValue { $0 }
    },
    FailureMessage("Its queue is suspended") { dispatcher in
      let uploads = dispatcher.makeQueue(label: "uploads", width: 1)
      uploads.suspend()
      return thrown { try uploads.sync {} }
    },
    FailureMessage("Nothing leaves the group") { dispatcher in
      let group = WorkGroup()
      group.enter()
      dispatcher.background.async(group: group) {}
      return thrown { try group.wait(timeout: nil) }
    },
    FailureMessage("A member of the group cannot run") { dispatcher in
      let group = WorkGroup()
      dispatcher.foreground.after(
        .seconds(5), label: "retry", group: group, fileID: "App/Upload.swift", line: 24
      ) {}
      return thrown { try group.wait(timeout: nil) }
    },
    FailureMessage("The task cannot run") { dispatcher in
      let uploads = dispatcher.makeQueue(label: "uploads", width: 1)
      uploads.suspend()
      let send = uploads.submit(label: "send", fileID: "App/Upload.swift", line: 18) {}
      dispatcher.foreground.after(.seconds(5)) { uploads.resume() }
      return thrown { try send.wait() }
    },
    FailureMessage("The time-out passed") { dispatcher in
      let group = WorkGroup()
      dispatcher.foreground.after(.seconds(5), group: group) {}
      return thrown { try group.wait(timeout: .seconds(1)) }
    },
    FailureMessage("The submission behind the wait was refused") { dispatcher in
      dispatcher.beginShutdown()
      return thrown { try dispatcher.background.sync {} }
    },
  ]
}
