import Foundation
import UVDispatch

extension Probe {
  static let refusedThreads: [Probe] = [
    Probe(
      name: "pool-refused", fault: "no thread of libuv's pool can be started",
      outcome: "libuv aborts", injection: "", endings: [.signal(SIGABRT)]
    ) { _ in
      try Injection.configure("threads=refuse")
      let dispatcher = try UVDispatcher()
      throw Unexpected(description: "there is a pool of \(dispatcher.effectivePoolThreads) threads")
    },
    Probe(
      name: "pool-refused-late", fault: "the third thread of libuv's pool cannot be started",
      outcome: "libuv aborts", injection: "", endings: [.signal(SIGABRT)]
    ) { _ in
      try Injection.configure("threads=3")
      let dispatcher = try UVDispatcher()
      throw Unexpected(description: "there is a pool of \(dispatcher.effectivePoolThreads) threads")
    },
    Probe(
      name: "start-refused", fault: "start() gets no thread",
      outcome: "UVError pthread_create; run() works", injection: ""
    ) { _ in
      let dispatcher = try UVDispatcher()
      dispatcher.background {}
      try Injection.configure("threads=refuse")
      let error = try uvError { try dispatcher.start() }
      let faults = try Injection.end(["threads"])
      try expect(error.call == "pthread_create" && error.name == "EAGAIN", "\(error)")

      dispatcher.foreground { dispatcher.beginShutdown() }
      let ledger = dispatcher.run().ledger
      try expect(ledger.completed == 2 && ledger.balances, "\(ledger)")
      return ["\(error)", faults]
    },
    Probe(
      name: "watchdog-refused", fault: "a dispatcher with an observer gets no thread for it",
      outcome: "UVError pthread_create; nothing left behind; the next works", injection: ""
    ) { _ in
      struct Deaf: TaskObserver {
        func observe(_ event: TaskEvent) {}
      }
      _ = try UVDispatcher()
      let before = descriptors()
      try Injection.configure("threads=refuse")
      let error = try uvError { _ = try UVDispatcher(.init(observer: Deaf())) }
      let faults = try Injection.end(["threads"])
      let after = descriptors()
      try expect(error.call == "pthread_create" && error.name == "EAGAIN", "\(error)")
      try expect(after == before, "\(before) descriptors before, \(after) after")
      try expectWorks(UVDispatcher(.init(observer: Deaf())))
      return ["\(error)", faults]
    },
    Probe(
      name: "late-thread-refused", fault: "a job comes after the end, and gets no thread",
      outcome: "it runs on one of Swift's", injection: ""
    ) { _ in
      let dispatcher = try UVDispatcher()
      dispatcher.beginShutdown()
      dispatcher.run()
      let done = DispatchSemaphore(value: 0)
      // Starts the threads of Swift's pool before any is refused.
      Task { done.signal() }
      done.wait()
      try Injection.configure("threads=1")
      Task(executorPreference: dispatcher.foreground.executor) { done.signal() }
      done.wait()
      return [try Injection.end(["threads"])]
    },
  ]
}

/// The ``UVError`` that `body` throws.
func uvError(_ body: () throws -> Void) throws -> UVError {
  do { try body() } catch let error as UVError { return error }
  throw Unexpected(description: "nothing was refused")
}

/// How many descriptors are open.
func descriptors() -> Int {
  // One of them belongs to the directory that is being read.
  ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
}

/// Checks that `dispatcher` runs both kinds of tasks, and ends.
func expectWorks(_ dispatcher: UVDispatcher) throws {
  dispatcher.background { dispatcher.foreground { dispatcher.beginShutdown() } }
  let ledger = dispatcher.run().ledger
  try expect(ledger.completed == 2 && ledger.balances, "it does not work: \(ledger)")
}
