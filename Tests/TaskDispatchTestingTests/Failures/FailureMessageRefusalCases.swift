import TaskDispatch
import TaskDispatchTesting

extension FailureMessage {
  /// Submissions and registrations that were refused.
  static let ofRefusals: [FailureMessage] = [
    FailureMessage(
      "A submission is refused", .init(overflow: .blockCaller(limit: 1, timeout: nil))
    ) { stuck in
      let full = RecordingDispatcher(.init(overflow: .reject(limit: 1)))
      full.background {}
      let slow = RecordingDispatcher(
        .init(overflow: .blockCaller(limit: 1, timeout: .seconds(1))))
      let held = slow.makeQueue(label: "held", width: 1)
      held.suspend()
      held {}
      let own = Confined<Admission?>(nil, to: stuck.foreground)
      stuck.foreground {
        stuck.foreground {}
        let admission = stuck.foreground {}
        own.withValue { $0 = admission }
      }
      try stuck.runNextForegroundTask()
      let ended = RecordingDispatcher()
      ended.beginShutdown()
      let unexpected = RecordingDispatcher(.init(policy: .unimplemented))
      defer { for used in [full, slow, ended, unexpected] { try? used.finish() } }

      let refused: [Admission?] = [
        ended.background {}, full.background {}, held {}, own.withValue { $0 },
        // No fake can fork the process of its test, so the text is made by hand.
        .refused(.forkedChild), unexpected.background {},
      ]
      return refused.map { $0.map { "\($0)" } ?? "nothing was refused" }.joined(separator: "\n")
    },
    FailureMessage("A task has no value", .init(overflow: .reject(limit: 1))) { dispatcher in
      dispatcher.background {}
      let hash = dispatcher.background.submit(
        label: "hash", fileID: "App/Importer.swift", line: 31
      ) { 7 }
      return thrown { _ = try dispatcher.runAsync { try await hash.value } }
    },
    FailureMessage("A signal cannot be handled") { dispatcher in
      [.kill, .child, Signal(rawValue: 32), Signal(rawValue: 11), Signal(rawValue: 99)].map {
        signal in
        thrown { try dispatcher.onSignal(signal) { _ in } }
      }.joined(separator: "\n")
    },
    FailureMessage("A descriptor cannot be watched") { dispatcher in
      try dispatcher.onReady(5, for: .readable) { _ in }
      let asked: [(descriptor: CInt, interest: Readiness)] = [
        (-1, .readable), (5, .writable), (6, []),
      ]
      let made = asked.map { descriptor, interest in
        thrown { try dispatcher.onReady(descriptor, for: interest) { _ in } }
      }
      // No fake knows what a descriptor is, or refuses for the system, so these texts are made by hand.
      let ofTheSystem: [EventRefusal] = [
        .cannotBeWatched(7), .system("epoll_create1 failed: too many open files (EMFILE)"),
        .forkedChild,
      ]
      dispatcher.beginShutdown()
      let late = thrown { try dispatcher.onReady(8, for: .readable) { _ in } }
      return (made + ofTheSystem.map(\.description) + [late]).joined(separator: "\n")
    },
  ]
}
